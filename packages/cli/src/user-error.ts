/** Something that the person at the keyboard can correct. Shown as one line, without a stack. */
export class UserError extends Error {}

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
