import { pathInside } from './component-config.ts'

/** Deeper data is nobody's options, and recursion over it could run out of stack. */
const maxDepth = 500

/** What to do about values on the way; `path` is where they stand. */
export interface DataRules {
  /** Whether a value is not taken over. Default: none is left out. */
  readonly isLeftOut?: (path: string, value: unknown) => boolean
  /** What stands in for a value that is no plain data. It may throw. */
  readonly foreign: (value: unknown, path: string) => unknown
}

/**
 * A copy of what JSON can keep: texts, finite numbers, booleans, `null`, lists and plain objects. Fields that are
 * `undefined` are left out, as JSON does it.
 */
export function copyPlainData(value: unknown, rules: DataRules, path = '', depth = 0): unknown {
  if (isScalar(value)) return value
  if (depth > maxDepth) return rules.foreign(value, path)
  if (Array.isArray(value)) {
    // Not `map`, which skips holes.
    return Array.from(value, (item, index) => copyPlainData(item, rules, pathInside(path, index), depth + 1))
  }
  if (!isPlainObject(value) || (path !== '' && acts(value))) return rules.foreign(value, path)
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

/** With a function in it a plain object is as little data as an object of a class. */
function acts(value: object): boolean {
  return Object.values(value).some((field) => typeof field === 'function')
}

/** Whether it is an object as JSON has it. A field `__proto__` would change what objects are that it is merged into. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return (prototype === null || prototype === Object.prototype) && !Object.hasOwn(value, '__proto__')
}
