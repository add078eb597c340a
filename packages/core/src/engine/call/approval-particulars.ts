import { scryptSync } from 'node:crypto'
import type { ExecutorCapabilities } from '../../code-executor.ts'
import type { ComponentDescription } from '../../configuration/to-component-config.ts'
import type { IsolationParticulars } from '../../vocabulary/isolation.ts'
import { defaultLimits, type EngineOptions } from '../options.ts'

/** A part of what an executor is made of. */
export type GivenOptions = Pick<ComponentDescription, 'options' | 'secrets'>

/**
 * Adds {@link ExecutorCapabilities.approvalParticulars}: what an executor was given, as far as an approval of code depends on it. Secret
 * values become one hash, when it is first read.
 */
export function withApprovalParticulars(
  capabilities: ExecutorCapabilities,
  settings: EngineOptions,
  given: GivenOptions = { options: {} },
): ExecutorCapabilities {
  const { env = {}, inheritEnv } = given.options
  const names = Object.keys(env as object)
  const hidden = hiddenValues(given)
  const visible = {
    ...capabilities.approvalParticulars,
    ...changedLimits(settings),
    ...(names.length === 0 ? {} : { env: names.sort().join(', ') }),
    ...(inheritEnv === true ? { inheritEnv } : {}),
    ...interpreterOf(given),
  }
  if (hidden.length === 0 && Object.keys(visible).length === 0) return capabilities
  let all: IsolationParticulars | undefined
  return Object.defineProperty({ ...capabilities }, 'approvalParticulars', {
    enumerable: true,
    get() {
      all ??= hidden.length === 0 ? visible : { ...visible, valuesHash: slowHash(JSON.stringify(hidden)) }
      return all
    },
  })
}

/** Limits other than the defaults: the defaults would make every question longer. */
function changedLimits(settings: EngineOptions): IsolationParticulars {
  const names = Object.keys(defaultLimits) as (keyof typeof defaultLimits)[]
  return Object.fromEntries(
    names.filter((name) => settings[name] !== defaultLimits[name]).map((name) => [name, settings[name]]),
  )
}

function interpreterOf({ options }: GivenOptions): IsolationParticulars {
  const names = ['python', 'kernelName', 'language']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = (options as Readonly<Record<string, unknown>>)[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** Options that say how a language is run. They have too many values to be shown. */
const languageOptions = ['languages', 'executionPolicies']

/** Hidden options: variables, languages, and all options that a config leaves out. */
function hiddenValues({ options, secrets = [] }: GivenOptions): (readonly [path: string, value: unknown])[] {
  return [...new Set(['env', ...languageOptions, ...secrets])]
    .sort()
    .map((path) => [path, sortedEntries(valueAt(options, path))] as const)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
}

function valueAt(options: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined
  }, options)
}

function sortedEntries(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Questions are shown and kept: a fast hash of a short password would give it away. */
function slowHash(text: string): string {
  return scryptSync(text, 'fenced', 16, { N: 1_024, r: 8, p: 1 }).toString('hex')
}
