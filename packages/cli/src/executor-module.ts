import { fileURLToPath } from 'node:url'
import type { CodeExecutor } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import type { ModuleUrl } from './module-url.ts'
import { UserError } from './user-error.ts'

/** What a class or a function of a module gets. */
export interface ModuleOptions {
  readonly timeoutMs?: number | undefined
  readonly maxWaitMs?: number | undefined
  readonly workDir?: string | undefined
  readonly allowSharedWorkDir?: boolean | undefined
}

/**
 * Loads an executor of the user's own: the default export of a module, or its only export that can be called. It is a class of
 * executors, or a function that returns an executor.
 *
 * @throws UserError for a module that cannot be loaded, or that has no such export.
 */
export async function loadExecutorModule(url: ModuleUrl): Promise<(options: ModuleOptions) => CodeExecutor> {
  const path = fileURLToPath(url)
  const { default: usual, ...named } = await importModule(url)
  const found = usual === undefined ? Object.entries(named).filter(([, value]) => isCallable(value)) : []
  const create = usual ?? found[0]?.[1]
  if (!isCallable(create) || found.length > 1)
    throw new UserError(
      `${path} has ${found.length > 1 ? `several executors (${found.map(([name]) => name).join(', ')})` : 'no executor'}. Export an executor class, or a function that returns an executor, as the default export.`,
    )
  return (options) => {
    const executor = made(create, { path, options })
    if (isExecutor(executor)) return executor
    throw new UserError(
      `${path} has no executor. Its function returned a value without \`execute\`, \`start\` and \`stop\`.`,
    )
  }
}

type Callable = (options: ModuleOptions) => unknown

async function importModule(url: ModuleUrl): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(url)
  } catch (error) {
    throw new UserError(`${fileURLToPath(url)} cannot be loaded. ${errorMessage(error)}`)
  }
}

function made(
  create: Callable,
  { path, options }: { readonly path: string; readonly options: ModuleOptions },
): unknown {
  try {
    return isExecutor(create.prototype) ? Reflect.construct(create, [options]) : create(options)
  } catch (error) {
    throw new UserError(`The executor of ${path} cannot be made. ${errorMessage(error)}`)
  }
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function'
}

function isExecutor(value: unknown): value is CodeExecutor {
  if (typeof value !== 'object' || value === null) return false
  return ['execute', 'start', 'stop'].every((name) => typeof Reflect.get(value, name) === 'function')
}
