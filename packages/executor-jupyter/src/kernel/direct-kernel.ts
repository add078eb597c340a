import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { type Environment, type ProcessExit, ResidentProcess, withPathFirst } from '@fenced/host'
import { openZeromqChannels } from '../channels/zeromq-channels.ts'
import { PrivateFolder } from '../private-folder.ts'
import { newRequest } from '../protocol/message.ts'
import { connectionFile, zeromqConnection } from './connection-file.ts'
import type { Kernel, KernelContext, KernelListener, KernelSource } from './kernel.ts'
import { findKernelSpec, type KernelSpec } from './kernel-spec.ts'
import { findKernelPython, unlessAborted } from './python.ts'

export interface DirectKernelOptions {
  /** The Python whose kernels are used. */
  readonly python: string | undefined
  readonly kernelName: string
  readonly env: Environment
}

/** How long a kernel may take to end in order, in milliseconds. */
const stopGraceMs = 3_000

/** How long the last words of a process may come after its end, in milliseconds. */
const lastWordsMs = 500

/** Kernels that are processes of ours, spoken to over ZeroMQ: no server, and nobody else can connect. */
export class DirectKernels implements KernelSource {
  readonly #options: DirectKernelOptions
  /** Found once: asking a Python takes as long as starting one. */
  #found: Promise<Found> | undefined

  constructor(options: DirectKernelOptions) {
    this.#options = options
  }

  async startKernel(listener: KernelListener, { directory, signal }: KernelContext): Promise<Kernel> {
    const { python, spec } = await unlessAborted(this.#findOnce(signal), signal)
    const folder = await PrivateFolder.create()
    let channels: Kernel['channels'] | undefined
    try {
      const file = connectionFile(folder.path)
      const path = await folder.write('connection.json', JSON.stringify(file))
      channels = await openZeromqChannels(zeromqConnection(file), listener)
      const process = this.#spawn({ python, spec, path, directory })
      void process.exited.then(async (exit) => {
        const words = await process.finalWords(lastWordsMs)
        listener.died(howItEnded(exit, words), whyNotStarted(python, words))
      })
      return new DirectKernel({ process, channels, folder, interruptMode: spec.interruptMode })
    } catch (error) {
      await channels?.close()
      await folder.remove()
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

  #findOnce(signal: AbortSignal): Promise<Found> {
    this.#found ??= this.#find(signal).catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  async #find(signal: AbortSignal): Promise<Found> {
    const python = await findKernelPython(this.#options.python)
    return { python, spec: await findKernelSpec(python, this.#options.kernelName, signal) }
  }
}

interface Found {
  readonly python: string
  readonly spec: KernelSpec
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
  readonly folder: PrivateFolder
  readonly interruptMode: KernelSpec['interruptMode']
}

class DirectKernel implements Kernel {
  readonly channels: Kernel['channels']
  readonly #parts: DirectKernelParts

  constructor(parts: DirectKernelParts) {
    this.channels = parts.channels
    this.#parts = parts
  }

  setKeepsUs(keeps: boolean): void {
    this.#parts.process.setKeepsUs(keeps)
    this.channels.setKeepsUs(keeps)
  }

  async interrupt(): Promise<void> {
    if (this.#parts.interruptMode === 'signal') this.#parts.process.signal('SIGINT')
    else await this.#tell('interrupt_request')
  }

  watchDescendants(): { kill(): void } {
    return this.#parts.process.watchDescendants()
  }

  /** In order first: what a program registered with `atexit` is run. Python takes as long to end as to run many cells. */
  async stop({ hasRun }: { readonly hasRun: boolean }): Promise<void> {
    if (hasRun) {
      await this.#tell('shutdown_request', { restart: false }).catch(() => {})
      await Promise.race([this.#parts.process.exited, sleep(stopGraceMs, undefined, { ref: false })])
    }
    await this.kill()
  }

  async kill(): Promise<void> {
    await this.#parts.process.kill()
    await this.#parts.folder.remove()
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
