import { FencedError } from '@fenced/core'
import { SharedStart } from '@fenced/core/internal'
import type { Environment } from '@fenced/host'
import type { SharedInterpreter } from '@fenced/sandbox/driver'
import { inheritedSettings } from '../inherited-settings.ts'
import type { ForkedPython } from './forked-python.ts'
import { SharedPython } from './shared-python.ts'

/** Idle timeout of a Python without resident Pythons, in milliseconds. */
const idleMs = 60_000
/** How many of these are kept. */
const mostIdle = 4
/** How long after a sandbox has stopped one is started for the next, in milliseconds: a process that ends needs none. */
const soonMs = 20
/** How long a start that no sandbox waits for may take, in milliseconds. */
const longestStartMs = 30_000

interface Entry {
  readonly start: SharedStart<SharedPython>
  python: SharedPython | undefined
}

const entries = new Map<string, Entry>()
/** Timers of the Pythons without resident Pythons. The longest idle Python is first. */
const idle = new Map<string, NodeJS.Timeout>()

export function hasSharedPythons(): boolean {
  return [...entries.values()].some(({ python }) => python?.isUsable === true)
}

/** Whether there is one for sandboxes with this environment. */
export function hasSharedPython(interpreter: SharedInterpreter, env: Environment): boolean {
  return entries.get(keyOf(interpreter, env))?.python?.isUsable === true
}

/**
 * A resident Python of the one for sandboxes with this environment, which is started where it is not there.
 *
 * @returns `undefined` when no shared Python can provide a resident Python.
 * @throws FencedError as `SharedPython.start`, but for `RESIDENT_PYTHON_UNSUPPORTED`; the signal's reason.
 */
export async function forkOfSharedPython(
  interpreter: SharedInterpreter,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<ForkedPython | undefined> {
  const key = keyOf(interpreter, env)
  // An outdated Python is replaced once.
  for (let round = 0; round < 2; round++) {
    const python = await startShared(key, { interpreter, env, signal })
    const server = await python?.connect()
    if (server !== undefined || python === undefined) return server
    drop(key, python)
  }
  return undefined
}

/** Starts the one for sandboxes with this environment in a moment, unless it is there by then or this process has ended. */
export function startSharedPythonSoon(interpreter: SharedInterpreter, env: Environment): void {
  const key = keyOf(interpreter, env)
  const start = async () => {
    const signal = AbortSignal.timeout(longestStartMs)
    const python = await startShared(key, { interpreter, env, signal }).catch(() => undefined)
    if (python?.isIdle === true) scheduleIdle(key, python)
  }
  // A Python that is starting must not end with the sandbox that needs it.
  if (entries.get(key)?.start.state === 'starting') void start()
  else setTimeout(start, soonMs).unref()
}

interface StartParts {
  readonly interpreter: SharedInterpreter
  readonly env: Environment
  readonly signal: AbortSignal | undefined
}

async function startShared(
  key: string,
  { interpreter, env, signal }: StartParts,
): Promise<SharedPython | undefined> {
  const entry = entries.get(key) ?? newEntry(key, interpreter, env)
  clearTimeout(idle.get(key))
  idle.delete(key)
  try {
    return await entry.start.get(signal === undefined ? {} : { signal })
  } catch (error) {
    if (entries.get(key) === entry && entry.python === undefined && entry.start.state === 'idle')
      entries.delete(key)
    // Perhaps it cannot be shared only.
    if (FencedError.isInstance(error) && error.code === 'RESIDENT_PYTHON_UNSUPPORTED') return undefined
    throw error
  }
}

function newEntry(key: string, interpreter: SharedInterpreter, env: Environment): Entry {
  const entry: Entry = {
    python: undefined,
    start: new SharedStart<SharedPython>({
      start: async ({ signal }) => {
        const onIdle = () => {
          if (entry.python !== undefined) scheduleIdle(key, entry.python)
        }
        entry.python = await SharedPython.start(interpreter, env, { signal, onIdle })
        return entry.python
      },
      stop: async (python) => {
        if (entry.python === python) entry.python = undefined
        python.retire()
      },
      isAlive: (python) => python.isUsable,
      stoppedError: () =>
        new FencedError({ code: 'SANDBOX_GONE', message: 'The shared Python was stopped.' }),
    }),
  }
  entries.set(key, entry)
  return entry
}

function scheduleIdle(key: string, python: SharedPython): void {
  clearTimeout(idle.get(key))
  idle.delete(key)
  idle.set(key, setTimeout(() => drop(key, python), idleMs).unref())
  const [oldest] = idle.keys()
  if (idle.size > mostIdle && oldest !== undefined) {
    const other = entries.get(oldest)?.python
    if (other !== undefined) drop(oldest, other)
  }
}

function drop(key: string, python: SharedPython): void {
  clearTimeout(idle.get(key))
  idle.delete(key)
  if (entries.get(key)?.python === python) entries.delete(key)
  python.retire()
}

/** What processes of two sandboxes must have in common so that they can be forks of one Python. */
function keyOf({ python, preload }: SharedInterpreter, env: Environment): string {
  return JSON.stringify([python, preload, Object.entries(env).sort(), inheritedSettings()])
}
