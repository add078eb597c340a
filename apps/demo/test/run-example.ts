import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { images } from './docker.ts'
import { jupyterEnvironment } from './jupyter.ts'

/** What a program of a page prints, run in a directory whose packages it imports. */
export async function runExample(program: string, directory: string): Promise<string> {
  // The image that the test engines have.
  const code = program.replaceAll('python:3-slim', images.python)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', code],
    { cwd: directory, env: { ...process.env, VIRTUAL_ENV: jupyterEnvironment } },
  )
  return stdout
}
