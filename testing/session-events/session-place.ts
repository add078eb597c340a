/** What can end a session. */
export type SessionEvent =
  | 'the end of another program'
  | 'changed packages'
  | 'a file left in /tmp'
  | 'late output of a thread'
  | 'the idle time of a resident Python'
  | 'an out-of-memory kill'
  | 'little memory, where the kernel would end Python with its checkpoints'
  | 'a recreated working directory'
  | 'a killed resident Python'
  | 'the idle time of its container'
  | 'a changed umask of the host'
  | 'changed limits of the host'
  | 'a killed network helper'
  | 'changed priority and limits of its keeper'
  | 'a cut connection'
  | 'a silent connection in a cell'
  | 'a silent connection between cells'
  | 'a pool that needs the place'
  | 'a restart'
  | 'a result larger than a frame'
  | 'kill -9 -1 by another program'
  | 'a killed keeper'
  | 'a stopped keeper'
  | 'a killed running copy'
  | 'killed checkpoints'
  | 'a killed host'

/** What becomes of the variables, by the code of its notice. `kept`, and `ended` as the caller asked, have no notice. */
export type Fate = 'kept' | 'ended' | 'state-kept' | 'state-restored' | 'state-lost' | 'sandbox-replaced'

/** Why an event cannot happen in a sandbox, as a sentence. */
interface CannotHappen {
  readonly cannot: string
}

export type SessionOutcomes = Readonly<Record<SessionEvent, Fate | CannotHappen>>

export interface SessionResult {
  readonly blocks: readonly {
    readonly status: string
    readonly stdout: string
    readonly output: string
    readonly notices: readonly { readonly code: string; readonly data?: Readonly<Record<string, string>> }[]
    readonly results: readonly { readonly data: Readonly<Record<string, unknown>> }[]
  }[]
}

/** An executor with `stateful: true`. */
export interface SessionExecutor {
  readonly workDir: string | undefined
  readonly session?:
    | { undo(steps?: number): Promise<unknown>; checkpoint(name: string): Promise<unknown> }
    | undefined
  execute(
    blocks: readonly { readonly language: string; readonly code: string }[],
    options?: { timeoutMs?: number },
  ): PromiseLike<SessionResult> & AsyncIterable<{ readonly type: string }>
  restart(): Promise<void>
  stop(): Promise<void>
}

interface SessionOptions {
  readonly killGraceMs?: number
  readonly idleTimeoutMs?: number
}

/** The connection to a sandbox. */
interface SessionConnection extends AsyncDisposable {
  readonly executor: SessionExecutor
  /** Ends all open connections. */
  cut(): void
  /** Lets all open connections transmit nothing more, without an end. New connections work. */
  silence(): void
}

/** A pool with one place. */
interface SessionPool {
  get(key: string): Promise<{
    readonly resource: SessionExecutor
    readonly notice?: { readonly code: string } | undefined
    release(): Promise<void>
  }>
  stop(): Promise<void>
}

/** A kind of sandbox, and what becomes of a session there. */
export interface SessionPlace {
  create(options: SessionOptions): SessionExecutor
  /** Creates an executor whose network is a list. */
  createListed?(): SessionExecutor
  /** Creates an executor reached over a connection that can be broken. */
  connect?(): Promise<SessionConnection>
  createPool(): SessionPool
  /** Program that runs cells as `runSessionHost` does, and its arguments. */
  readonly host: readonly string[]
  readonly outcomes: SessionOutcomes
}

/** Marks the running copy and later checkpoints with a name that `markedProcesses` finds. */
export const markCell = (mark: string): string =>
  `import ctypes\nctypes.CDLL(None).prctl(15, b"${mark}", 0, 0, 0)`

type Block = SessionResult['blocks'][number]

/** Runs blocks in a session. */
export class Session {
  readonly executor: SessionExecutor

  constructor(executor: SessionExecutor) {
    this.executor = executor
  }

  python(code: string, timeoutMs = 60_000): Promise<Block> {
    return this.#run({ language: 'python', code }, timeoutMs)
  }

  shell(code: string): Promise<Block> {
    return this.#run({ language: 'sh', code }, 60_000)
  }

  /** Runs a cell that prints something and then waits, and does something meanwhile. */
  async during(work: () => unknown, timeoutMs = 60_000): Promise<Block> {
    const code = 'import time\nprint("begun", flush=True)\ntime.sleep(600)'
    const execution = this.executor.execute([{ language: 'python', code }], { timeoutMs })
    for await (const { type } of execution) if (type === 'stdout') await work()
    return (await execution).blocks[0] as Block
  }

  async #run(block: { language: string; code: string }, timeoutMs: number): Promise<Block> {
    const { blocks } = await this.executor.execute([block], { timeoutMs })
    return blocks[0] as Block
  }
}

/**
 * Runs cells that leave a session of every kind of process: a keeper, a running copy, checkpoints, and a process that a cell started.
 * Prints a line, and waits to be killed.
 */
export async function runSessionHost(executor: SessionExecutor, mark: string): Promise<void> {
  const session = new Session(executor)
  await session.python(markCell(mark))
  await session.python(`import subprocess\nserver = subprocess.Popen(["sleep", "${mark}"])`)
  await session.python('x = 41')
  await session.during(() => void process.stdout.write('ready\n'), 600_000)
}
