// The built page. The build replaces this module by the values of its exports.
import { globSync, readFileSync } from 'node:fs'

const folder = new URL('../page/dist/', import.meta.url)

/** The text of each file by its path, with `/`. */
export const pageFiles: Readonly<Record<string, string>> = Object.fromEntries(
  globSync(['*.*', 'assets/*'], { cwd: folder }).map((path) => [
    path.replaceAll('\\', '/'),
    readFileSync(new URL(path, folder), 'utf8'),
  ]),
)
