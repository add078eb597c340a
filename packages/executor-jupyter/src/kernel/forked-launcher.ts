import { existsSync, lstatSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { TemporaryDirectory } from '@fenced/core/internal'
import { childrenOf, type Environment, watchDescendantsOf, withPathFirst } from '@fenced/host'
import {
  type ProgramEnd,
  PythonRunner,
  type ResidentPythonProcess,
  type SharedInterpreter,
} from '@fenced/sandbox/driver'
import type { LocalSandbox } from '@fenced/sandbox-local'
import { raceGrace, TextTail } from '@fenced/shared'
import { pythonSource } from '../python-source.ts'
import type { HostLauncher } from './host-launcher.ts'
import type { KernelDeath } from './kernel.ts'
import type { KernelEnd, KernelLaunch, KernelLauncher, KernelProcess } from './kernel-launcher.ts'
import { openKernelSockets } from './kernel-sockets.ts'

/** How long a resident Python may take to end what its kernel left, in milliseconds. */
const endGraceMs = 3_000
/** How much of what a kernel writes to stderr is kept, in UTF-16 code units. */
const wordsLength = 8_192

export interface ForkedLauncherOptions {
  readonly sandbox: LocalSandbox
  readonly env: Environment
  /** Names of modules that the Python imports besides ipykernel. */
  readonly preload: readonly string[]
  /** For what is not a fork. */
  readonly otherwise: HostLauncher
}

/** The Pythons of which this process has started a kernel, each with the environment of its kernels; the last ones. */
const used = new Set<string>()
const mostUsed = 100

/**
 * Kernels that are forks of a Python of this process, which has imported what takes most of a kernel's start. The first kernel would
 * wait longer for such a Python than it takes to start an interpreter, which it does. When it has stopped, one starts for the next.
 */
export class ForkedLauncher implements KernelLauncher {
  readonly #options: ForkedLauncherOptions
  /** What the next kernel is to be a fork of, where the last one was none. */
  #missed: SharedInterpreter | undefined

  constructor(options: ForkedLauncherOptions) {
    this.#options = options
  }

  async prepare({ signal, notice }: StartContext): Promise<void> {
    await this.#options.sandbox.start({ signal, onNotice: notice })
  }

  findPython(): Promise<string> {
    return this.#options.otherwise.findPython()
  }

  async start(launch: KernelLaunch): Promise<KernelProcess> {
    const server = launch.isOwn ? await this.#residentPython(launch) : undefined
    return server === undefined
      ? this.#options.otherwise.start(launch)
      : run(launch, server, this.#options.env)
  }

  async stop(): Promise<void> {
    const { sandbox } = this.#options
    if (this.#missed !== undefined) sandbox.sharedPythons?.startSoon(this.#missed)
    this.#missed = undefined
    await sandbox.stop()
  }

  /**
   * `undefined` where no fork is possible: the interpreter that starts instead reports the reason if it fails too.
   *
   * @throws FencedError `PRELOAD_FAILED`.
   */
  async #residentPython({ python, signal }: KernelLaunch): Promise<ResidentPythonProcess | undefined> {
    const { sandbox, env, preload } = this.#options
    const { sharedPythons: servers } = sandbox
    const isFirst = isFirstUse(JSON.stringify([python, env]))
    try {
      const interpreter: SharedInterpreter = { python: [python], preload: [ownKernelFile(), ...preload] }
      const isToWait = !isFirst || preload.length > 0 || servers?.isReady(interpreter) === true
      const server = isToWait ? await servers?.get(interpreter, signal) : undefined
      this.#missed = server === undefined ? interpreter : undefined
      return server
    } catch (error) {
      signal.throwIfAborted()
      if (FencedError.isInstance(error) && preload.includes(error.data?.module ?? '')) throw error
      return undefined
    }
  }
}

function isFirstUse(key: string): boolean {
  const isFirst = !used.delete(key)
  used.add(key)
  const [oldest] = used
  if (used.size > mostUsed && oldest !== undefined) used.delete(oldest)
  return isFirst
}

function run(
  { python, command, directory, env, sockets }: KernelLaunch,
  server: ResidentPythonProcess,
  ofKernels: Environment,
): KernelProcess {
  const words = new TextTail(wordsLength)
  const decoder = new TextDecoder()
  const runner = PythonRunner.of({ input: server.stdin as Writable, output: server.stdout })
  const exited = runner.run(
    {
      path: ownKernelFile(),
      args: command.slice(command.indexOf('-f')),
      cwd: directory,
      env: { ...withPathFirst(ofKernels, dirname(python)), ...env },
      killGraceMs: 0,
    },
    {
      signal: new AbortController().signal,
      write: (stream, chunk) => {
        if (stream === 'stderr') words.push(decoder.decode(chunk, { stream: true }))
      },
    },
  )
  const ended = exited.then((end): KernelEnd => ({ ...howItEnded(end), outputTail: words.text.trim() }))
  return {
    exited,
    ended,
    sockets: (signal) => openKernelSockets(sockets, { ended, signal }),
    setRef: (keeps) => (keeps ? server.ref() : server.unref()),
    interrupt: () => interruptGroup(childrenOf(server.processId)[0]),
    watchDescendants: () => watchDescendantsOf(server.processId),
    kill: async () => {
      server.ref()
      runner.stop()
      // A program can stop it, as every process of its user.
      void server.signal('SIGCONT')
      // Only itself it finds also what fled from it.
      await raceGrace(server.exited, endGraceMs)
      await server.kill()
    },
  }
}

/** A kernel leads its group. It is the first child of its resident Python: orphans that this adopts come later. */
function interruptGroup(kernel: number | undefined): void {
  if (kernel === undefined) return
  try {
    process.kill(-kernel, 'SIGINT')
  } catch {
    // ESRCH: it has ended.
  }
}

function howItEnded(end: ProgramEnd): KernelDeath {
  if (end === 'died') {
    return { how: 'ended together with its parent Python', data: { fault: 'parent-ended' } }
  }
  if (end === 'stale') {
    return {
      how: 'could not be started: packages were installed or removed in the meantime',
      data: { fault: 'stale' },
    }
  }
  if ('notStarted' in end) {
    const { message } = end.notStarted
    return { how: `could not be started: ${message}`, data: { reason: message } }
  }
  const signal = signalNames.get(end.exitCode)
  return {
    how: `ended with exit code ${end.exitCode}${signal === undefined ? '' : ` (${signal})`}`,
    data: { exitCode: String(end.exitCode), ...(signal === undefined ? {} : { signal }) },
  }
}

/** By the exit code that a shell has for each. */
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [128 + number, name]))

let directory: string | undefined

/**
 * The path of a file with the program of a Python's own kernel, for an interpreter that imports it before it forks. The file is in a
 * private temporary directory, which ends with this process.
 *
 * @throws what the system answers where no file can be written.
 */
function ownKernelFile(): string {
  if (directory === undefined || !isOurs(directory)) {
    directory = TemporaryDirectory.make().path
    writeFileSync(pathIn(directory), pythonSource('own_kernel'))
  }
  return pathIn(directory)
}

function pathIn(directory: string): string {
  return join(directory, 'own_kernel.py')
}

/** A service that cleans temporary directories may have removed it, and then another user can take its name. */
function isOurs(directory: string): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false })
  return stat?.uid === process.getuid?.() && existsSync(pathIn(directory))
}
