import { pathInside } from './component-config.ts'

/** No options are nested deeper, and recursion over deeper data could exhaust the stack. */
const maxDepth = 500

/** Callbacks for the values of a copy; `path` is their position. */
export interface DataRules {
  /** Whether a value is left out of the copy. Default: none is. */
  readonly isLeftOut?: (path: string, value: unknown) => boolean
  /** Returns the replacement of a value that is no plain data. It may throw. */
  readonly foreign: (value: unknown, path: string) => unknown
}

/**
 * Copies what JSON can keep: strings, finite numbers, booleans, `null`, arrays and plain objects. Fields that are
 * `undefined` are left out, as JSON leaves them out.
 */
export function copyPlainData(value: unknown, rules: DataRules, path = '', depth = 0): unknown {
  if (isScalar(value)) return value
  if (depth > maxDepth) return rules.foreign(value, path)
  if (Array.isArray(value)) {
    // Not `map`, which skips holes.
    return Array.from(value, (item, index) => copyPlainData(item, rules, pathInside(path, index), depth + 1))
  }
  if (!isPlainObject(value) || (path !== '' && hasFunction(value))) return rules.foreign(value, path)
  const entries: [string, unknown][] = []
  for (const [name, item] of Object.entries(value)) {
    const inside = pathInside(path, name)
    if (item === undefined || rules.isLeftOut?.(inside, item) === true) continue
    entries.push([name, copyPlainData(item, rules, inside, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value as number)
  )
}

/** A plain object with a function in it is no more data than an instance of a class. */
function hasFunction(value: object): boolean {
  return Object.values(value).some((field) => typeof field === 'function')
}

/** Whether a value is a JSON object. A field `__proto__` is refused: merging it into an object changes that object's prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return (prototype === null || prototype === Object.prototype) && !Object.hasOwn(value, '__proto__')
}
