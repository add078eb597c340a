import { FencedError } from '@fenced/core'
import { visible } from '@fenced/core/text'

/** Something that the person at the keyboard can correct. Shown as one line, without a stack. */
export class UserError extends Error {}

/** The exit code for wrong arguments, wrong input and executors that cannot be used, as `grep` and many others have it. */
const unusable = 2

/** Reports on standard error why code did not run. @returns the exit code. @throws unexpected errors. */
export function reportError(error: unknown): number {
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  const code = error instanceof UserError ? '' : ` (${error.code})`
  process.stderr.write(`fenced: ${visible(error.message.trim())}${code}\n`)
  return unusable
}

/**
 * Loads a module that needs packages which this one does not install: they are larger than the command itself.
 *
 * @throws UserError that names the packages, where one of them is not installed.
 */
export async function optional<Module>(
  load: () => Promise<Module>,
  what: string,
  packages: string,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UserError(`${what} needs more packages: npm install ${packages}`)
  }
}
