import { pathToFileURL } from 'node:url'
import type { CodeExecutor } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import { UserError } from '../user-error.ts'
import { fromWhereTyped } from './from-where-typed.ts'

/** What a class or a function of a module gets. One that does not know an option ignores it. */
export interface ModuleOptions {
  readonly timeoutMs: number
  readonly workDir: string
}

/**
 * The executor of somebody else: what a module exports as its default, or under the only name that fits: an executor, a
 * class of executors, or a function that returns one.
 *
 * @throws UserError for a module that cannot be loaded, or has no executor.
 */
export async function loadExecutorModule(path: string, options: ModuleOptions): Promise<CodeExecutor> {
  const exported = chosenExport(path, await importModule(path))
  const executor = isExecutor(exported) ? exported : await madeBy(exported, { path, options })
  if (isExecutor(executor)) return executor
  throw new UserError(`${path} has no executor: what it returned has no \`execute\`, \`start\` and \`stop\`.`)
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(fromWhereTyped(path)).href)
  } catch (error) {
    throw new UserError(`${path} cannot be loaded: ${errorMessage(error)}`)
  }
}

function chosenExport(
  path: string,
  { default: usual, ...named }: Readonly<Record<string, unknown>>,
): unknown {
  if (usual !== undefined) return usual
  const candidates = Object.entries(named).filter(
    ([, value]) => isExecutor(value) || typeof value === 'function',
  )
  const executors = candidates.filter(([, value]) => isExecutor(value) || isExecutorClass(value))
  const [found, another] = executors.length > 0 ? executors : candidates
  if (found !== undefined && another === undefined) return found[1]
  const names = candidates.map(([name]) => name).join(', ')
  const what =
    candidates.length === 0 ? 'exports no executor' : `exports several that could be meant (${names})`
  throw new UserError(
    `${path} ${what}: export one as the default, an executor, a class of executors, or a function that returns one.`,
  )
}

async function madeBy(
  exported: unknown,
  { path, options }: { readonly path: string; readonly options: ModuleOptions },
): Promise<unknown> {
  if (typeof exported !== 'function') return exported
  try {
    return await (isExecutorClass(exported) ? Reflect.construct(exported, [options]) : exported(options))
  } catch (error) {
    throw new UserError(`The executor of ${path} cannot be made: ${errorMessage(error)}`)
  }
}

function isExecutorClass(value: unknown): value is new (options: ModuleOptions) => unknown {
  return typeof value === 'function' && isExecutor(value.prototype)
}

function isExecutor(value: unknown): value is CodeExecutor {
  if (typeof value !== 'object' || value === null) return false
  return ['execute', 'start', 'stop'].every((name) => typeof Reflect.get(value, name) === 'function')
}
