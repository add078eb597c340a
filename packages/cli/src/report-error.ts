import { FencedError } from '@fenced/core'
import { visible } from '@fenced/errors/text'
import { UserError } from './user-error.ts'

/** The exit code for wrong arguments, wrong input and executors that cannot be used, as `grep` and many others have it. */
const unusable = 2

/** Reports on standard error why code did not run. @returns the exit code. @throws unexpected errors. */
export function reportError(error: unknown): number {
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  const code = error instanceof UserError ? '' : ` (${error.code})`
  process.stderr.write(`fenced: ${visible(error.message.trim())}${code}\n`)
  return unusable
}
