import { readdirSync } from 'node:fs'
import { join } from 'node:path'

// No import of a package: this is read before they are built.

/** Where the packages are. */
export const directory = join(import.meta.dirname, '../../packages')

/** The packages by the names of their directories. */
export const packages: readonly string[] = readdirSync(directory)
