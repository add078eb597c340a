import { FencedError } from '@fenced/core'
import { nobodyReads, Stopped } from './stop-signals.ts'
import { wrap } from './terminal/wrap.ts'
import { UserError } from './user-error.ts'

/** The arguments or the input were wrong, as `grep` and many others report it. */
const usageError = 2

/** What the code or its executor did wrong. */
export const failed = 1

/** What a wrong option leads to, although only the executor can tell. */
const usageCodes = new Set([
  'INVALID_OPTIONS',
  'WORK_DIR_UNUSABLE',
  'ISOLATION_UNAVAILABLE',
  'ENGINE_UNREACHABLE',
  'IMAGE_NOT_FOUND',
  'IMAGE_WITHOUT_PYTHON',
  'IMAGE_WITHOUT_SHELL',
  'BUILD_CONTEXT_NOT_FOUND',
  'CONTAINER_REFUSED',
  'JUPYTER_UNAUTHORIZED',
  'JUPYTER_UNREACHABLE',
  'KERNEL_LANGUAGE',
  'KERNEL_NOT_FOUND',
  'KERNEL_NOT_INSTALLED',
  'PYTHON_NOT_FOUND',
  'WRONG_PLATFORM',
])

/**
 * Says on standard error what kept code from being run, or a conversation from going on.
 *
 * @returns the exit code.
 * @throws what nobody foresaw.
 */
export function reportError(error: unknown): number {
  // When the executor fails, stopping it fails as well: what came first says more.
  if (error instanceof SuppressedError) return reportError(error.suppressed)
  if (error instanceof Stopped) {
    if (error.isWanted) write('Cancelled before anything was run.')
    return error.exitCode
  }
  if (FencedError.isInstance(error) && error.code === 'OUTPUT_CLOSED') return nobodyReads
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  write(error.message)
  return error instanceof UserError || usageCodes.has(error.code) ? usageError : failed
}

/** A list in a message keeps its lines. */
function write(message: string): void {
  const { stderr } = process
  const text = `demo: ${message.trim().replaceAll(/\s*\n/g, '\n  ')}`
  stderr.write(`${stderr.isTTY ? wrap(text, stderr.columns || 80) : text}\n`)
}
