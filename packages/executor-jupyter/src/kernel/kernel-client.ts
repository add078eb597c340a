import { setTimeout as sleep } from 'node:timers/promises'
import type { FencedError } from '@fenced/core'
import type { BlockTools, ReadLine } from '@fenced/core/driver'
import { pendingReads } from '@fenced/shared'
import { Backlog } from '../channels/backlog.ts'
import type { IncomingMessage } from '../protocol/incoming-message.ts'
import type { KernelMessage } from '../protocol/message.ts'
import { Cell, type CellEnd, outputOfReply } from './cell.ts'
import type { CellIo } from './cell-output.ts'
import { executeRequest, type RunOptions } from './execute-request.ts'
import { InputRequests } from './input-requests.ts'
import type { Kernel, KernelContext, KernelDeath, KernelListener, KernelSource } from './kernel.ts'
import { answerLost, startFailed } from './kernel-error.ts'
import { infoRequest, isOfNewKernel, type KernelInfo, untilReady } from './kernel-info.ts'
import { LateOutput } from './late-output.ts'
import { Requests } from './requests.ts'
import { SentCount } from './sent-count.ts'
import { acknowledgeType, askRunningType, isRunningName, markType } from './setup-code.ts'
import { askToPublish } from './timed-requests.ts'

/** How long output of a dead kernel may still be in transit, in milliseconds. */
const drainMs = 200

/** One client of one kernel: sends requests, and passes each message to its cell. */
export class KernelClient implements KernelListener {
  #death: KernelDeath | undefined
  #startError: FencedError | undefined
  #lost: { readonly error: unknown } | undefined
  #kernel: Kernel | undefined
  #info: KernelInfo | undefined
  #cell: { readonly id: string; readonly cell: Cell; readonly readLine: ReadLine | undefined } | undefined
  /** Whether the kernel answers {@link isRunning}. */
  tellsRunning = false
  readonly #requests = new Requests()
  readonly #input = new InputRequests(this.#requests)
  #hearsOutput = false
  /** Whether the kernel keeps the output of a short cell for its reply, until a request to publish the output. */
  #keepsOutput = false
  /** Whether a program has run in the kernel, and not only Fenced's own code. */
  #hasRun = false
  /** Output of cells that have ended. */
  readonly #late = new LateOutput()
  readonly #sent = new SentCount()
  readonly #backlog = new Backlog({
    take: (incoming) => this.#take(incoming),
    dropped: (byteCount, messageCount) => {
      this.#sent.add(messageCount)
      this.#cell?.cell.dropped(byteCount)
    },
  })

  /** Starts a kernel and waits until it answers. When this rejects, no kernel is left. */
  static async start(source: KernelSource, context: KernelContext): Promise<KernelClient> {
    const client = new KernelClient()
    try {
      client.#kernel = await source.startKernel(client, context)
      client.#requests.channels = client.#kernel.channels
      client.#info = await client.#becomeReady(context.signal)
      await client.#kernel?.answered?.()
      // An idle kernel does not keep the process alive.
      client.#kernel?.setRef(false)
      return client
    } catch (error) {
      await client.kill()
      throw error
    }
  }

  get info(): KernelInfo {
    if (this.#info === undefined) throw new Error('The kernel is not ready.')
    return this.#info
  }

  /** Runs code to its end, or until the kernel or the connection is lost. */
  async run(code: string, io: CellIo, options: RunOptions = {}): Promise<CellEnd> {
    if (this.#death !== undefined) return { kind: 'died', ...this.#death }
    if (this.#lost !== undefined) return { kind: 'lost', error: this.#lost.error }
    const { silent = false, readLine } = options
    const request = this.#requests.create(executeRequest(code, options))
    const { msg_id: id } = request.header
    const cell = new Cell(io)
    this.#cell = { id, cell, readLine }
    this.#hasRun ||= !silent
    this.#kernel?.setRef(true)
    using _asking = this.#kernel?.pollKernelInfo?.()
    const channels = this.#kernel?.channels
    using _publishing = this.#keepsOutput && channels ? askToPublish(channels) : undefined
    this.#kernel?.noteMemoryKills?.()
    try {
      await this.#requests.send(request)
      const end = await cell.ended
      if (!silent) this.#late.cellEnded({ id, end, io })
      return end
    } finally {
      // A cell that was given up can end while the next cell runs.
      if (this.#cell?.cell === cell) {
        this.#cell = undefined
        this.#kernel?.noteMemoryKills?.()
        this.#kernel?.setRef(false)
      }
    }
  }

  /** Answers tool calls of the next cell. @returns the code to run silently before that cell. */
  answerCalls(tools: BlockTools): string {
    return this.#input.answerCalls(tools)
  }

  get cell(): Pick<Cell, 'isIdle' | 'hasReply' | 'messageCount' | 'endWith'> | undefined {
    return this.#cell?.cell
  }

  /** Resolves when the interrupt was delivered: a later one would reach the next cell. */
  async interrupt(): Promise<void> {
    if (this.#kernel?.interrupt !== undefined) await this.#kernel.interrupt()
    else await this.#requests.ask({ channel: 'control', type: 'interrupt_request', content: {} })
  }

  /** Whether the code of a cell is running; `undefined` where the kernel does not answer this question. */
  async isRunning(): Promise<boolean | undefined> {
    const reply = await this.#requests.ask({ channel: 'control', type: askRunningType, content: {} })
    const isRunning = reply?.content[isRunningName]
    return typeof isRunning === 'boolean' ? isRunning : undefined
  }

  watchDescendants(): { kill(): void } | undefined {
    return this.#kernel?.watchDescendants?.()
  }

  async stop(): Promise<void> {
    const kernel = this.#leave()
    const isThere = this.#death === undefined && this.#lost === undefined
    await (isThere ? kernel?.stop({ hasRun: this.#hasRun }) : kernel?.kill())
    await kernel?.channels.close()
  }

  async kill(): Promise<void> {
    const kernel = this.#leave()
    await kernel?.kill()
    await kernel?.channels.close()
  }

  /** Ends the running cell with its variables. This ends the kernel too, unless it existed before. */
  async killCell(): Promise<void> {
    // An unreachable server was reported before.
    await this.#kernel?.restart?.().catch(() => {})
    await this.kill()
  }

  message(message: IncomingMessage): void {
    // A slow reader of the output must not delay the end of the cell or a request for input.
    if (message.type === 'execute_reply' || message.type === 'input_request') void this.#take(message)
    else this.#backlog.push(message)
  }

  #take(incoming: IncomingMessage): void | Promise<void> {
    const message = incoming.read()
    if (message === undefined) return
    const { channel, header, parent } = message
    if (channel === 'iopub') this.#hear(message)
    if (this.#info !== undefined && isOfNewKernel(message, this.#info.session)) {
      this.died({ how: 'ended, or another client restarted it', data: {} })
      return
    }
    if (header.msg_type === markType) this.#acknowledge(message)
    const isOfCell = parent.msg_id !== undefined && parent.msg_id === this.#cell?.id
    if (channel === 'stdin' && header.msg_type === 'input_request') {
      this.#input.take(message, isOfCell ? this.#cell?.readLine : undefined)
      return
    }
    if (parent.msg_id === undefined) return
    if (isOfCell) {
      this.#keepsOutput ||= outputOfReply(message) !== undefined
      return this.#cell?.cell.take(message)
    }
    if (channel === 'iopub') this.#late.take(message)
    else this.#requests.take(parent.msg_id, message)
  }

  #hear(message: KernelMessage): void {
    this.#hearsOutput = true
    const missing = this.#sent.take(message)
    if (missing > 0) this.#cell?.cell.reportMissing(missing)
  }

  died(death: KernelDeath, startError?: FencedError): void {
    if (this.#death !== undefined) return
    this.#death = death
    this.#startError = startError
    this.#requests.end()
    const cell = this.#cell?.cell
    if (cell !== undefined) void this.#drained().then(() => cell.endWith({ kind: 'died', ...death }))
  }

  lost(error: unknown): void {
    this.#lost = { error }
    this.#requests.end()
    this.#cell?.cell.endWith({ kind: 'lost', error })
  }

  /**
   * A kernel answers requests in order. When it answers this request, and an earlier cell has no reply, that reply was lost.
   */
  restored(): void {
    const waiting = this.#cell?.cell
    this.#sent.stop()
    waiting?.reportRestored()
    void this.#requests.ask(infoRequest).then(async (reply) => {
      if (reply === undefined || waiting === undefined) return
      await sleep(drainMs)
      if (!waiting.hasReply) waiting.endWith({ kind: 'lost', error: answerLost() })
    })
  }

  #becomeReady(signal: AbortSignal): Promise<KernelInfo> {
    return untilReady(this.#requests, {
      hearsOutput: () => this.#hearsOutput,
      throwIfEnded: () => {
        if (this.#lost !== undefined) throw this.#lost.error
        if (this.#death !== undefined) throw this.#startError ?? startFailed(this.#death)
      },
      signal,
    })
  }

  /** Resolves when the output of a dead kernel has arrived and was taken. */
  async #drained(): Promise<void> {
    await sleep(drainMs)
    await pendingReads()
    await this.#backlog.drained()
  }

  /** Confirms to the kernel that everything before its mark was taken, so that it can write more. */
  #acknowledge({ content }: KernelMessage): void {
    const request = this.#requests.create({ channel: 'control', type: acknowledgeType, content })
    // The kernel continues after a timeout if this does not arrive.
    this.#requests.send(request).catch(() => {})
  }

  /** Ignores everything that happens to the kernel from now on. */
  #leave(): Kernel | undefined {
    const kernel = this.#kernel
    this.#kernel = undefined
    this.#requests.channels = undefined
    kernel?.setRef(true)
    this.#requests.end()
    this.#cell?.cell.endWith({ kind: 'died', how: 'was stopped', data: {} })
    this.#backlog.close()
    return kernel
  }
}
