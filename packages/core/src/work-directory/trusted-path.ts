import { delimiter, isAbsolute, sep } from 'node:path'
import { writableThrough } from './writable-directories.ts'

/** npm puts it first on the PATH, whether it exists or not, and code in a project can make it. */
const binOfPackages = /[\\/]node_modules[\\/]\.bin[\\/]*$/

/**
 * Returns a PATH for programs that this process starts outside of a sandbox. Relative and empty entries are left out, and so are
 * `node_modules/.bin` and every directory in which programs of a sandbox of this process can write or create a file.
 *
 * @param path - default: the PATH of this process.
 */
export function trustedPath(path = process.env.PATH ?? ''): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !binOfPackages.test(entry))
    .filter((entry) => writableThrough(`${entry}${sep}program`) === undefined)
    .join(delimiter)
}
