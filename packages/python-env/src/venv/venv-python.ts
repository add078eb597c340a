import { join } from 'node:path'

/** Where a virtual environment has its interpreter. */
export function pythonOf(venv: string): string {
  return process.platform === 'win32' ? join(venv, 'Scripts', 'python.exe') : join(venv, 'bin', 'python')
}
