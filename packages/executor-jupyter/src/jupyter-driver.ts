import { statSync } from 'node:fs'
import { exitCodes, FencedError, type Language, type LimitsInForce } from '@fenced/core'
import type {
  BlockIo,
  BlockOutcome,
  BlockTools,
  Driver,
  HostWorkDirectory,
  PackageManager,
  PreparedBlock,
  StartContext,
} from '@fenced/core/driver'
import { raceAbort } from '@fenced/shared'
import type { CellEnd } from './kernel/cell.ts'
import type { CellIo } from './kernel/cell-output.ts'
import { type InterruptFailure, interruptCell } from './kernel/interrupt-cell.ts'
import type { KernelDeath, KernelSource } from './kernel/kernel.ts'
import { KernelClient } from './kernel/kernel-client.ts'
import { ignored, setUpKernel } from './kernel/set-up-kernel.ts'
import { pythonCall } from './python-source.ts'

export interface JupyterDriverOptions {
  readonly workDirectory: HostWorkDirectory
  readonly source: KernelSource
  /** Whether a server starts the kernels. */
  readonly isGuest: boolean
  /** The network of the kernels, where it is an allowlist. */
  readonly network: Driver['network']
  /** Source of the limits of the kernels; absent for unlimited kernels and unknown limits. */
  readonly bounded?: { readonly limitsInForce?: LimitsInForce | undefined } | undefined
  /** Throws for a kernel of another language. */
  readonly checkLanguage: (kernelLanguage: string) => void
  /** Code to run silently in every new kernel. */
  readonly setup: string | undefined
  readonly interruptGraceMs: number
  readonly startTimeoutMs: number
}

/** A kernel for all blocks: each block is a cell of it. */
export class JupyterDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly network: Driver['network']
  readonly isGuest: boolean
  readonly takesText = true
  readonly packages = kernelPackages
  readonly #options: JupyterDriverOptions
  #kernel: KernelClient | undefined
  /** Identity of the kernel's directory: a later directory can have the same path. */
  #directory: string | undefined

  constructor(options: JupyterDriverOptions) {
    this.workDirectory = options.workDirectory
    this.network = options.network
    this.isGuest = options.isGuest
    this.#options = options
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#options.bounded?.limitsInForce
  }

  async start(context: StartContext): Promise<void> {
    this.#kernel = await this.#startKernel(context)
  }

  /** Starts a new kernel after a cell that was ended together with its kernel, with a notice. */
  async prepare(_language: Language, context: StartContext): Promise<void> {
    this.#kernel ??= await this.#startKernel(context)
  }

  async run({ code }: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    if (this.#kernel === undefined) throw new Error('The kernel was not started.')
    if (io.signal.aborted) return { exitCode: exitCodes.cancelled }
    const kernel = await this.#inDirectory(this.#kernel, io)
    if (kernel === undefined) return { exitCode: exitCodes.cancelled }
    const refused = io.tools === undefined ? undefined : await this.#offerTools(kernel, io.tools, io)
    if (refused !== undefined) return refused
    const descendants = kernel.watchDescendants()
    const running = kernel.run(code, io, { readLine: io.readLine })
    const end = await raceAbort(running, io.signal)
    if (end !== 'aborted') return outcomeOf(end, io)
    // The cell has ended, and only its output was still in transit.
    if (kernel.cell?.hasReply) return outcomeOf(await running, io)
    await this.#stopCell({ kernel, running, io })
    descendants?.kill()
    return { exitCode: exitCodes.cancelled }
  }

  async stop(): Promise<void> {
    const kernel = this.#kernel
    this.#kernel = undefined
    try {
      await kernel?.stop()
    } finally {
      await this.#options.source.stop?.()
    }
  }

  /** The kernel, moved into the directory that is at the path now; `undefined` when the block was cancelled meanwhile. */
  async #inDirectory(kernel: KernelClient, io: BlockIo): Promise<KernelClient | undefined> {
    const { path } = this.workDirectory
    const identity = identityOfDirectory(path)
    if (this.#options.source.usesDirectory !== true || identity === this.#directory) return kernel
    if (kernel.info.language === 'python') {
      const running = enterDirectory(kernel, path, ignored)
      const end = await raceAbort(running, io.signal)
      if (end === 'aborted') {
        await this.#stopCell({ kernel, running, io })
        return undefined
      }
      this.#directory = identity
      // The block reports a kernel that has ended.
      if (end.kind !== 'done' || end.exitCode === 0) return kernel
    }
    this.#kernel = undefined
    await kernel.kill()
    const message = `The working directory ${path} was removed while the kernel ran in it. The kernel was stopped, and all variables are lost. This block runs in a new, empty kernel.`
    io.notice({ code: 'state-lost', message, data: { path } })
    this.#kernel = await this.#startKernel({ signal: io.signal, notice: (notice) => io.notice(notice) })
    return this.#kernel
  }

  /** Gives tools to the next cell. @returns the outcome of a block that cannot run with them. */
  async #offerTools(kernel: KernelClient, tools: BlockTools, io: BlockIo): Promise<BlockOutcome | undefined> {
    const running = kernel.run(kernel.answerCalls(tools), ignored, { silent: true })
    const end = await raceAbort(running, io.signal)
    if (end === 'aborted') {
      await this.#stopCell({ kernel, running, io })
      return { exitCode: exitCodes.cancelled }
    }
    if (end.kind !== 'done') return outcomeOf(end, io)
    if (end.exitCode === 0) return undefined
    const message =
      'The block was not run: it may call host tools, but only ipykernel can forward such calls.'
    io.notice({ code: 'tools-unavailable', message })
    return { status: 'invalid' }
  }

  /** Interrupts the cell, which keeps all variables. If that fails, ends the kernel. */
  async #stopCell({ kernel, running, io }: RunningCell): Promise<void> {
    const { interruptGraceMs } = this.#options
    const end = await interruptCell({ kernel, running, graceMs: interruptGraceMs })
    if (typeof end === 'object' && end.kind === 'done') {
      io.notice({
        code: 'state-kept',
        message: 'The cell was interrupted. The kernel keeps running, and variables are kept.',
      })
      return
    }
    this.#kernel = undefined
    await kernel.killCell()
    const { how, data } = whyEnded(end, interruptGraceMs)
    io.notice({
      code: 'state-lost',
      data,
      message: `The kernel ${how}. All variables are lost; the next block gets a new, empty kernel.`,
    })
  }

  async #startKernel(context: StartContext): Promise<KernelClient> {
    const { source, startTimeoutMs } = this.#options
    const { signal } = context
    await source.prepare?.(context)
    const timeout = AbortSignal.timeout(startTimeoutMs)
    const either = AbortSignal.any([signal, timeout])
    try {
      const kernel = await KernelClient.start(source, { directory: this.workDirectory.path, signal: either })
      await this.#setUp(kernel, { signal: either, notice: context.notice })
      this.#directory = identityOfDirectory(this.workDirectory.path)
      return kernel
    } catch (error) {
      throw timeout.aborted && !signal.aborted ? tooSlow(startTimeoutMs, error) : error
    }
  }

  /** When this rejects, no kernel is left. */
  async #setUp(kernel: KernelClient, context: StartContext): Promise<void> {
    const { checkLanguage, setup } = this.#options
    try {
      checkLanguage(kernel.info.language)
      if (setup !== undefined) await setUpKernel(kernel, setup, context)
    } catch (error) {
      await kernel.kill()
      throw error
    }
  }
}

/** IPython's `%pip` installs into the Python of the kernel. */
const kernelPackages: PackageManager = {
  async advise(distribution) {
    const command = `%pip install ${distribution}`
    return { command, advice: `Install it with this line in a block: ${command}` }
  },
}

interface RunningCell {
  readonly kernel: KernelClient
  readonly running: Promise<CellEnd>
  readonly io: BlockIo
}

function outcomeOf(end: CellEnd, io: BlockIo): BlockOutcome {
  switch (end.kind) {
    case 'done':
      return { exitCode: end.exitCode, error: end.error }
    case 'died':
      io.notice({
        code: 'died',
        data: end.data,
        message: `The kernel ${end.how}. All variables are lost. Call restart() to continue with a new, empty kernel.`,
      })
      return { status: 'died' }
    case 'lost':
      throw end.error
  }
}

function whyEnded(end: CellEnd | InterruptFailure, interruptGraceMs: number): KernelDeath {
  if (end === 'late') {
    const data = { limitMs: String(interruptGraceMs), option: 'interruptGraceMs' }
    return { how: `did not stop the cell within ${interruptGraceMs} ms and was ended`, data }
  }
  if (typeof end === 'object' && end.kind === 'died') return end
  return { how: 'is no longer reachable', data: { fault: 'unreachable' } }
}

function tooSlow(startTimeoutMs: number, cause: unknown): FencedError {
  const isKnown = FencedError.isInstance(cause)
  const where = isKnown ? ` ${cause.message}` : ''
  return new FencedError({
    code: 'KERNEL_START_TIMEOUT',
    message: `The kernel was not ready within ${startTimeoutMs} ms.${where} Raise \`startTimeoutMs\`, or check the output of the kernel or its server.`,
    data: { ...(isKnown ? cause.data : {}), limitMs: String(startTimeoutMs), option: 'startTimeoutMs' },
    cause,
  })
}

/** Identity of a directory. A later directory has another identity, even with the same path or inode. */
function identityOfDirectory(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev} ${stat.ino} ${stat.birthtimeNs}`
}

/** Moves a Python kernel whose working directory was removed into the directory that is at its path now (`enter_directory.py`). */
function enterDirectory(kernel: KernelClient, path: string, io: CellIo): Promise<CellEnd> {
  return kernel.run(pythonCall('enter_directory', [path]), io, { silent: true })
}
