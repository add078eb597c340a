import { dirname } from 'node:path'
import type { StartContext } from '@fenced/core/driver'
import type { ProcessEnd } from '@fenced/core/sandbox'
import { type Environment, withPathFirst } from '@fenced/host'
import type { LocalSandbox } from '@fenced/sandbox-local'
import { TextTail } from '@fenced/shared'
import { pythonNotFound } from '../host-python.ts'
import type { KernelDeath } from './kernel.ts'
import type { KernelEnd, KernelLaunch, KernelLauncher, KernelProcess } from './kernel-launcher.ts'
import { openKernelSockets } from './kernel-sockets.ts'

/** How much of what a kernel writes to stderr is kept, in UTF-16 code units. */
const wordsLength = 8_192

export interface BubblewrapLauncherOptions {
  readonly sandbox: LocalSandbox
  /** Environment of the kernel, which replaces the plot settings of the sandbox. */
  readonly env: Environment
}

/** Kernels in bubblewrap. Each has a separate sandbox, which contains no sockets of this machine except the kernel's. */
export class BubblewrapLauncher implements KernelLauncher {
  readonly #sandbox: LocalSandbox
  readonly #env: Environment

  constructor({ sandbox, env }: BubblewrapLauncherOptions) {
    this.#sandbox = sandbox
    this.#env = env
  }

  async prepare({ signal, notice }: StartContext): Promise<void> {
    await this.#sandbox.start({ signal, onNotice: notice })
  }

  async findPython(): Promise<string> {
    const found = await this.#sandbox.interpreters.find({ id: 'python' })
    if ('command' in found) return found.command[0]
    throw pythonNotFound(found)
  }

  async start({ python, command, directory, env, folder, sockets }: KernelLaunch): Promise<KernelProcess> {
    const words = new TextTail(wordsLength)
    const decoder = new TextDecoder()
    const { PATH = '' } = withPathFirst(this.#env, dirname(python))
    const process = await this.#sandbox.spawn(command, {
      cwd: directory,
      writable: [folder],
      // Empty, it lets a kernel draw into its results.
      env: { PATH, MPLBACKEND: this.#env.MPLBACKEND ?? '', ...env },
      output: (stream, chunk) => {
        if (stream === 'stderr') words.push(decoder.decode(chunk, { stream: true }))
      },
    })
    let killsBefore: number | undefined = 0
    const ended = process.ended.then(
      (end): KernelEnd => ({ ...howItEnded(end, killsBefore), outputTail: words.text.trim() }),
    )
    return {
      exited: process.exited,
      ended,
      sockets: (signal) => openKernelSockets(sockets, { ended, signal }),
      setRef: (keeps) => (keeps ? process.ref() : process.unref()),
      noteMemoryKills: () =>
        void process.outOfMemoryKills?.().then(
          (kills) => {
            killsBefore = kills
          },
          // It has just ended.
          () => {},
        ),
      watchDescendants: () => process.watchDescendants(),
      kill: async () => void (await process.kill()),
    }
  }

  async stop(): Promise<void> {
    await this.#sandbox.stop()
  }
}

/** @param killsBefore - how many of its processes were killed for memory before the last cell; `undefined` where that is not known. */
function howItEnded(end: ProcessEnd, killsBefore: number | undefined): KernelDeath {
  if (end.kind === 'not-started') {
    return { how: `could not be started: ${end.message}`, data: { reason: end.message } }
  }
  if (end.kind !== 'exited') return { how: `was lost: ${end.message}`, data: { reason: end.message } }
  const data = { exitCode: String(end.exitCode) }
  // The end itself speaks of all kills in the life of the kernel.
  const wasOutOfMemory =
    end.outOfMemory === true && (killsBefore === 0 || isMore(end.memoryKills, killsBefore))
  if (!wasOutOfMemory) return { how: `ended with exit code ${end.exitCode}`, data }
  return {
    how: 'was killed because it reached the `memoryBytes` limit of its sandbox',
    data: { ...data, option: 'memoryBytes' },
  }
}

function isMore(kills: number | undefined, before: number | undefined): boolean {
  return kills !== undefined && before !== undefined && kills > before
}
