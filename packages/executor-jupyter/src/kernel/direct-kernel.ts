import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { type Environment, type ProcessExit, ResidentProcess, withPathFirst } from '@fenced/host'
import { openZeromqChannels } from '../channels/zeromq-channels.ts'
import { newRequest } from '../protocol/message.ts'
import { connectionFile, zeromqConnection } from './connection-file.ts'
import type { Kernel, KernelContext, KernelListener, KernelSource } from './kernel.ts'
import { findKernelSpec, type KernelSpec } from './kernel-spec.ts'
import { findKernelPython } from './python.ts'

export interface DirectKernelOptions {
  /** The Python whose kernels are used. */
  readonly python: string | undefined
  readonly kernelName: string
  readonly env: Environment
}

/** How long a kernel may take to end in order, in milliseconds. */
const stopGraceMs = 2_000

/** How long the last words of a process may come after its end, in milliseconds. */
const lastWordsMs = 30

/** Kernels that are processes of ours, spoken to over ZeroMQ: no server, and nobody else can connect. */
export class DirectKernels implements KernelSource {
  readonly #options: DirectKernelOptions
  /** Found once: asking a Python takes as long as starting one. */
  #found: Promise<{ python: string; spec: KernelSpec }> | undefined

  constructor(options: DirectKernelOptions) {
    this.#options = options
  }

  async startKernel(listener: KernelListener, { directory }: KernelContext): Promise<Kernel> {
    this.#found ??= this.#find()
    const { python, spec } = await this.#found.catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    const folder = await mkdtemp(join(tmpdir(), 'fenced-kernel-'))
    const remove = () => rm(folder, { recursive: true, force: true })
    try {
      const file = connectionFile(folder)
      const path = join(folder, 'connection.json')
      await writeFile(path, JSON.stringify(file), { mode: 0o600 })
      const channels = await openZeromqChannels(zeromqConnection(file), listener)
      const process = this.#spawn({ python, spec, path, directory })
      void process.exited.then(async (exit) => {
        await sleep(lastWordsMs, undefined, { ref: false })
        listener.died(howItEnded(exit, process.lastWords), whyNotStarted(python, process.lastWords))
      })
      return new DirectKernel({ process, channels, remove, interruptMode: spec.interruptMode })
    } catch (error) {
      await remove()
      throw error
    }
  }

  #spawn({ python, spec, path, directory }: SpawnOptions): ResidentProcess {
    const [program = python, ...args] = spec.command.map((part) => part.replaceAll('{connection_file}', path))
    return new ResidentProcess({
      command: [program, ...args],
      cwd: directory,
      env: {
        // `pip` and `python` in a `!` line are the kernel's own.
        ...withPathFirst(this.#options.env, dirname(python)),
        ...spec.env,
        // By it ipykernel notices that we have gone, and goes as well.
        JPY_PARENT_PID: `${globalThis.process.pid}`,
      },
    })
  }

  async #find(): Promise<{ python: string; spec: KernelSpec }> {
    const python = await findKernelPython(this.#options.python)
    return { python, spec: await findKernelSpec(python, this.#options.kernelName) }
  }
}

interface SpawnOptions {
  readonly python: string
  readonly spec: KernelSpec
  readonly path: string
  readonly directory: string
}

interface DirectKernelParts {
  readonly process: ResidentProcess
  readonly channels: Kernel['channels']
  readonly remove: () => Promise<void>
  readonly interruptMode: KernelSpec['interruptMode']
}

class DirectKernel implements Kernel {
  readonly channels: Kernel['channels']
  readonly #parts: DirectKernelParts

  constructor(parts: DirectKernelParts) {
    this.channels = parts.channels
    this.#parts = parts
  }

  async interrupt(): Promise<void> {
    if (this.#parts.interruptMode === 'signal') this.#parts.process.signal('SIGINT')
    else await this.#tell('interrupt_request')
  }

  watchDescendants(): { kill(): void } {
    return this.#parts.process.watchDescendants()
  }

  /** In order first: what a program registered with `atexit` is run. */
  async stop(): Promise<void> {
    await this.#tell('shutdown_request', { restart: false }).catch(() => {})
    await Promise.race([this.#parts.process.exited, sleep(stopGraceMs, undefined, { ref: false })])
    await this.kill()
  }

  async kill(): Promise<void> {
    await this.#parts.process.kill()
    await this.#parts.remove()
  }

  #tell(type: string, content: Record<string, unknown> = {}): Promise<void> {
    return this.channels.send(newRequest(this.channels.session, { channel: 'control', type, content }))
  }
}

function howItEnded({ code, signal, error }: ProcessExit, lastWords: string): string {
  const how =
    error === undefined
      ? signal === null
        ? `ended with exit code ${code}`
        : `was ended by ${signal}${signal === 'SIGKILL' ? ', which is what happens when memory runs out' : ''}`
      : `could not be started: ${error.message}`
  return lastWords === '' ? how : `${how}; its last words were:\n${lastWords}`
}

function whyNotStarted(python: string, lastWords: string): FencedError | undefined {
  if (!/No module named '?ipykernel/.test(lastWords)) return undefined
  return new FencedError({
    code: 'KERNEL_NOT_INSTALLED',
    message: `${python} has no kernel. Install one into it: "${python}" -m pip install ipykernel`,
  })
}
