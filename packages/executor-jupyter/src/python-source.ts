import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const known = new Map<string, string>()

/** Text of a Python file of this package. */
export function pythonSource(name: string): string {
  const source = known.get(name) ?? readFileSync(pythonPath(name), 'utf8')
  known.set(name, source)
  return source
}

/** Path of a Python file of this package. This module is in no folder, so that the path is the same from `src` and `dist`. */
export function pythonPath(name: string): string {
  return fileURLToPath(new URL(`../python/${name}.py`, import.meta.url))
}

/**
 * An expression of Python that calls the `install` of a file, and leaves no name behind.
 *
 * @param values - Arguments, as JSON.
 */
export function pythonCall(name: string, values: readonly unknown[]): string {
  const source = JSON.stringify(pythonSource(name))
  const json = JSON.stringify(JSON.stringify(values))
  return `(lambda names: (exec(${source}, names), names['install'](*__import__('json').loads(${json})))[1])({})`
}
