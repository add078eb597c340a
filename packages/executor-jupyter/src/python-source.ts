import { pythonSources } from './embedded.ts'

/** Text of a Python file of this package. */
export function pythonSource(name: string): string {
  const source = pythonSources[name]
  if (source === undefined) throw new Error(`python/${name}.py does not exist.`)
  return source
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
