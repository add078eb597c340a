import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { TemporaryDirectory } from '@fenced/core/internal'
import { raceGrace } from '@fenced/shared'
import { openZeromqChannels, requireMainThread } from '../channels/zeromq-channels.ts'
import { unlessAborted } from '../host-python.ts'
import { newRequest } from '../protocol/message.ts'
import { inTemporaryFiles } from '../temporary-files.ts'
import { connectionFile, socketPaths } from './connection-file.ts'
import type { Kernel, KernelContext, KernelDeath, KernelListener, KernelSource } from './kernel.ts'
import { startFailed } from './kernel-error.ts'
import type { KernelEnd, KernelLauncher, KernelProcess, KernelSockets } from './kernel-launcher.ts'
import { findKernelSpec, type KernelSpec } from './kernel-spec.ts'
import { cellMark } from './setup-code.ts'

export interface DirectKernelOptions {
  readonly launcher: KernelLauncher
  readonly kernelName: string
}

/** How long a kernel may take to end in order, in milliseconds. */
const stopGraceMs = 10_000

/** Kernels that are child processes, connected over ZeroMQ. No other client can connect. */
export class DirectKernels implements KernelSource {
  readonly usesDirectory = true
  readonly #options: DirectKernelOptions
  /** Cached, because asking a Python takes as long as starting one. */
  #found: Promise<Found> | undefined

  constructor(options: DirectKernelOptions) {
    this.#options = options
  }

  async prepare(context: StartContext): Promise<void> {
    requireMainThread()
    await this.#options.launcher.prepare?.(context)
  }

  async startKernel(listener: KernelListener, { directory, signal }: KernelContext): Promise<Kernel> {
    const { python, spec } = await unlessAborted(this.#findOnce(signal), signal)
    const folder = await inTemporaryFiles(() => TemporaryDirectory.make())
    let process: KernelProcess | undefined
    try {
      const file = connectionFile(folder.path)
      const path = join(folder.path, 'connection.json')
      await inTemporaryFiles(() => writeFile(path, JSON.stringify(file), { mode: 0o600 }))
      const [program = python, ...args] = spec.command.map((part) =>
        part.replaceAll('{connection_file}', path),
      )
      process = await this.#options.launcher.start({
        ...{ python, directory, env: spec.env, command: [program, ...args] as const, isOwn: spec.isOwn },
        ...{ folder: folder.path, sockets: socketPaths(file), signal },
      })
      void process.ended.then((end) => listener.died(deathOf(end), whyNotStarted(python, end)))
      const sockets = await process.sockets(signal)
      if (sockets === undefined) {
        const end = await process.ended
        throw whyNotStarted(python, end) ?? startFailed(deathOf(end))
      }
      const channels = await openChannels(sockets, file.key, listener)
      return new DirectKernel({
        ...{ process, channels, folder, interruptMode: spec.interruptMode },
        needsFolder: sockets.release === undefined,
      })
    } catch (error) {
      await process?.kill()
      await folder.remove()
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.#options.launcher.stop?.()
  }

  #findOnce(signal: AbortSignal): Promise<Found> {
    this.#found ??= this.#find(signal).catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  async #find(signal: AbortSignal): Promise<Found> {
    const { launcher, kernelName } = this.#options
    const python = await launcher.findPython()
    return { python, spec: await findKernelSpec(python, kernelName, signal) }
  }
}

interface Found {
  readonly python: string
  readonly spec: KernelSpec
}

interface DirectKernelParts {
  readonly process: KernelProcess
  readonly channels: Kernel['channels']
  readonly folder: TemporaryDirectory
  /** Whether the kernel needs its sockets in the folder after its first answer. */
  readonly needsFolder: boolean
  readonly interruptMode: KernelSpec['interruptMode']
}

class DirectKernel implements Kernel {
  readonly channels: Kernel['channels']
  readonly interrupt?: () => Promise<void>
  readonly #parts: DirectKernelParts

  constructor(parts: DirectKernelParts) {
    const { channels, process, interruptMode } = parts
    this.channels = channels
    this.#parts = parts
    if (interruptMode === 'signal' && process.interrupt !== undefined)
      this.interrupt = async () => process.interrupt?.()
  }

  async answered(): Promise<void> {
    const { folder, needsFolder } = this.#parts
    // Before a program runs that could fill this machine's disk through it.
    if (!needsFolder) await folder.remove()
  }

  setRef(keeps: boolean): void {
    this.#parts.process.setRef(keeps)
    this.channels.setRef(keeps)
  }

  noteMemoryKills(): void {
    this.#parts.process.noteMemoryKills?.()
  }

  watchDescendants(): { kill(): void } {
    return this.#parts.process.watchDescendants()
  }

  /** Lets a kernel that has run a program call its `atexit` functions first. Python takes as long to end as to run many cells. */
  async stop({ hasRun }: { readonly hasRun: boolean }): Promise<void> {
    if (hasRun) {
      await this.#tell('shutdown_request', { restart: false }).catch(() => {})
      await raceGrace(this.#parts.process.exited, stopGraceMs)
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

async function openChannels(
  { paths, release }: KernelSockets,
  key: string,
  listener: KernelListener,
): Promise<Kernel['channels']> {
  try {
    const channels = await openZeromqChannels({ paths, key }, listener)
    const close = () => channels.close().finally(() => release?.())
    return { ...channels, close }
  } catch (error) {
    release?.()
    throw error
  }
}

function deathOf({ how, data, outputTail }: KernelEnd): KernelDeath {
  const output = outputTail.split(cellMark.trim()).at(-1)?.trim() ?? ''
  if (output === '') return { how, data }
  return { how: `${how}; its output ended with:\n${output}`, data: { ...data, output } }
}

function whyNotStarted(python: string, { outputTail }: KernelEnd): FencedError | undefined {
  if (!/No module named '?ipykernel/.test(outputTail)) return undefined
  const command = `"${python}" -m pip install ipykernel`
  return new FencedError({
    code: 'KERNEL_NOT_INSTALLED',
    message: `No kernel is installed for ${python}. Install one: ${command}`,
    data: { python, command },
  })
}
