import { type CodeExecutor, exitCodes } from '@fenced/core'
import type { Version } from './script.ts'

/** The version that an executor can run; it may have no interpreter for the usual one. */
export async function chooseVersion(
  executor: CodeExecutor,
  signal: AbortSignal,
): Promise<{ readonly version: Version; readonly remark?: string }> {
  const { stateful, isolation } = executor.capabilities
  if (stateful) return { version: 'kernel' }
  if (await runs(executor, 'python', signal)) return { version: 'python' }
  // An image may have neither. Then the usual one tells what is missing.
  if (!(await runs(executor, 'javascript', signal))) return { version: 'python' }
  const place = isolation === 'container' ? 'in the image' : 'on this machine'
  return {
    version: 'javascript',
    remark: `there is no python ${place}, so this is the JavaScript version`,
  }
}

/** Asks the executor itself, by running nothing: it knows best where it looks for a language. */
async function runs(executor: CodeExecutor, language: string, signal: AbortSignal): Promise<boolean> {
  const { status, exitCode } = await executor.execute([{ language, code: '' }], { signal })
  return !(status === 'invalid' && exitCode === exitCodes.notFound)
}
