// The Python files of this package. The build replaces this module by the values of its exports.
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../python/', import.meta.url)

const files = readdirSync(folder).filter((file) => file.endsWith('.py'))

/** The text of each file by its name without `.py`. */
export const pythonSources: Readonly<Record<string, string>> = Object.fromEntries(
  files.sort().map((file) => [file.slice(0, -3), readFileSync(new URL(file, folder), 'utf8')]),
)
