import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { BlockTools, ReadLine } from '@fenced/core/driver'
import { Backlog } from '../channels/backlog.ts'
import type { IncomingMessage } from '../protocol/incoming-message.ts'
import { type KernelMessage, newRequest, type Request } from '../protocol/message.ts'
import { CellTools } from '../tools/cell-tools.ts'
import { Cell, type CellEnd } from './cell.ts'
import type { CellIo } from './cell-output.ts'
import type { Kernel, KernelContext, KernelDeath, KernelListener, KernelSource } from './kernel.ts'
import { LateOutput } from './late-output.ts'
import { askToPublish, outputOfReply } from './reply-with-output.ts'
import { acknowledgeType, askRunningType, isRunningName, markType } from './step-messages.ts'

/** What a kernel tells about itself: its reply to `kernel_info_request`. */
interface KernelInfo {
  /** Of its language, in the kernel's own words. */
  readonly language: string
  /** Of the kernel itself: another one when it was started again. */
  readonly session: string
}

/** How long output may still be on its way when the one who wrote it has died, in milliseconds. */
const drainMs = 200

/** How often a kernel that has not answered yet is asked again, in milliseconds. */
const askAgainMs = 1_000

/** How a cell is run. */
interface RunOptions {
  /** Whether it leaves no trace in the kernel's history and publishes nothing. */
  readonly silent?: boolean
  /** Whether the code is one expression, which a kernel evaluates without what it does for a cell. Its errors are no errors of the run. */
  readonly isExpression?: boolean
  /** Reads the lines that its program asks for; where it is absent, such a program fails. */
  readonly readLine?: ReadLine | undefined
}

/** What ipykernel takes for the end of the input. */
const endOfInput = '\u0004'

/** One conversation with one kernel: requests out, each message to the cell that it belongs to. */
export class KernelClient implements KernelListener {
  /** Why the kernel can run nothing any more, as part of a sentence: `ended with exit code 3`. */
  #death: KernelDeath | undefined
  #startError: FencedError | undefined
  #lost: { readonly error: unknown } | undefined
  #kernel: Kernel | undefined
  #info: KernelInfo | undefined
  #cell: { readonly id: string; readonly cell: Cell; readonly readLine: ReadLine | undefined } | undefined
  /** Of the last cell that was given some: what calls after its end is refused by them. */
  #tools: CellTools | undefined
  #replied: Promise<unknown> = Promise.resolve()
  /** Whether it answers {@link isRunning}. */
  tellsRunning = false
  readonly #replies = new Map<string, (reply: KernelMessage) => void>()
  readonly #ended = Promise.withResolvers<void>()
  #hearsOutput = false
  /** Whether it keeps the output of a short cell for its reply, until it is asked to publish it. */
  #keepsOutput = false
  /** Whether a program has run in it, and not only code of ours. */
  #hasRun = false
  /** Output of cells that have ended. */
  readonly #late = new LateOutput()
  readonly #backlog = new Backlog({
    take: (incoming) => this.#take(incoming),
    dropped: (byteCount) => this.#cell?.cell.dropped(byteCount),
  })

  /** Starts a kernel and waits until it answers. Whatever happens, no kernel is left when it rejects. */
  static async start(source: KernelSource, context: KernelContext): Promise<KernelClient> {
    const client = new KernelClient()
    try {
      client.#kernel = await source.startKernel(client, context)
      client.#info = await client.#becomeReady(context.signal)
      await client.#kernel?.answered?.()
      // A program that has nothing else to do ends, although it forgot the kernel.
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

  /** Runs code to its end, or until the kernel or the connection to it is lost. */
  async run(
    code: string,
    io: CellIo,
    { silent = false, isExpression = false, readLine }: RunOptions = {},
  ): Promise<CellEnd> {
    if (this.#death !== undefined) return { kind: 'died', ...this.#death }
    if (this.#lost !== undefined) return { kind: 'lost', error: this.#lost.error }
    const request = this.#newRequest({
      channel: 'shell',
      type: 'execute_request',
      content: {
        code: isExpression ? '' : code,
        silent,
        store_history: !silent,
        user_expressions: isExpression ? { expression: code } : {},
        allow_stdin: readLine !== undefined,
        // The engine itself runs nothing behind a block that failed.
        stop_on_error: false,
      },
    })
    const cell = new Cell(io)
    this.#cell = { id: request.header.msg_id, cell, readLine }
    this.#hasRun ||= !silent
    this.#kernel?.setRef(true)
    using _asking = this.#kernel?.askWhoItIs?.()
    const channels = this.#kernel?.channels
    using _publishing = this.#keepsOutput && channels ? askToPublish(channels) : undefined
    this.#kernel?.noteMemoryKills?.()
    try {
      await channels?.send(request)
      const end = await cell.ended
      if (!silent) this.#late.cellEnded({ id: request.header.msg_id, end, io })
      return end
    } finally {
      // One that was given up may end while the next one runs.
      if (this.#cell?.cell === cell) {
        this.#cell = undefined
        this.#kernel?.noteMemoryKills?.()
        this.#kernel?.setRef(false)
      }
    }
  }

  /** Answers calls of the next cell. @returns what has to be run silently before it. */
  answerCalls(tools: BlockTools): string {
    this.#tools = new CellTools(tools, (content) => this.#reply(content), this.#tools)
    return this.#tools.setup
  }

  /** The cell that the kernel was given last and that has not ended. */
  get cell(): Pick<Cell, 'isIdle' | 'hasReply' | 'messageCount' | 'endWith'> | undefined {
    return this.#cell?.cell
  }

  /** Resolves when that is done: what is done later would interrupt the next cell. */
  async interrupt(): Promise<void> {
    if (this.#kernel?.interrupt !== undefined) await this.#kernel.interrupt()
    else await this.#ask({ channel: 'control', type: 'interrupt_request', content: {} })
  }

  /** Whether the code of a cell is running; `undefined` where the kernel does not answer this question. */
  async isRunning(): Promise<boolean | undefined> {
    const reply = await this.#ask({ channel: 'control', type: askRunningType, content: {} })
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

  /** Ends the running cell together with its variables, which also ends the kernel unless that was there before. */
  async killCell(): Promise<void> {
    // A server that cannot be reached has told so before.
    await this.#kernel?.restart?.().catch(() => {})
    await this.kill()
  }

  message(message: IncomingMessage): void {
    // A reader that is behind with the output must not hide that the program has ended, or what it asks for.
    if (message.type === 'execute_reply' || message.type === 'input_request') void this.#take(message)
    else this.#backlog.push(message)
  }

  #take(incoming: IncomingMessage): void | Promise<void> {
    const message = incoming.read()
    if (message === undefined) return
    if (message.channel === 'iopub') this.#hearsOutput = true
    if (this.#isOfNewKernel(message)) {
      this.died({ how: 'ended by itself or was restarted by somebody', data: {} })
      return
    }
    if (message.header.msg_type === markType) this.#acknowledge(message)
    if (message.channel === 'stdin' && message.header.msg_type === 'input_request') {
      this.#takeInputRequest(message)
      return
    }
    const parent = message.parent.msg_id
    if (parent === undefined) return
    if (parent === this.#cell?.id) {
      this.#keepsOutput ||= outputOfReply(message) !== undefined
      return this.#cell.cell.take(message)
    }
    if (message.channel === 'iopub') this.#late.take(message)
    else this.#replies.get(parent)?.(message)
  }

  #takeInputRequest({ content, parent }: KernelMessage): void {
    if (this.#tools?.take(content) === true) return
    const { id, readLine } = this.#cell ?? {}
    if (readLine === undefined || parent.msg_id !== id) return
    const { prompt = '', password } = content
    readLine({ prompt: String(prompt), isSecret: password === true })
      .then((line) => this.#reply({ value: line ?? endOfInput }))
      // The block is being stopped, or the kernel cannot be reached any more.
      .catch(() => {})
  }

  /** One after the other, as the channel takes them. */
  #reply(content: KernelMessage['content']): Promise<void> {
    const reply = this.#newRequest({ channel: 'stdin', type: 'input_reply', content })
    const sent = this.#replied.then(() => this.#kernel?.channels.send(reply))
    this.#replied = sent.catch(() => {})
    return sent
  }

  died(death: KernelDeath, startError?: FencedError): void {
    if (this.#death !== undefined) return
    this.#death = death
    this.#startError = startError
    this.#ended.resolve()
    const cell = this.#cell?.cell
    if (cell !== undefined) void this.#afterglow().then(() => cell.endWith({ kind: 'died', ...death }))
  }

  lost(error: unknown): void {
    this.#lost = { error }
    this.#ended.resolve()
    this.#cell?.cell.endWith({ kind: 'lost', error })
  }

  /**
   * A kernel answers in the order in which it was asked: when it answers this, and a cell that was sent before has
   * no reply, then the reply was lost.
   */
  restored(): void {
    const waiting = this.#cell?.cell
    waiting?.tellRestored()
    void this.#ask({ channel: 'shell', type: 'kernel_info_request', content: {} }).then(async (reply) => {
      if (reply === undefined || waiting === undefined) return
      await sleep(drainMs)
      if (!waiting.hasReply) waiting.endWith({ kind: 'lost', error: answerLost() })
    })
  }

  /** Both directions work: it has replied on `shell`, and something came on `iopub`. */
  async #becomeReady(signal: AbortSignal): Promise<KernelInfo> {
    for (;;) {
      signal.throwIfAborted()
      const answer = this.#ask({ channel: 'shell', type: 'kernel_info_request', content: {} })
      const reply = await Promise.race([answer, sleepUnlessAborted(askAgainMs, signal), this.#ended.promise])
      if (this.#lost !== undefined) throw this.#lost.error
      if (this.#death !== undefined) throw this.#startError ?? startFailed(this.#death)
      if (reply === undefined) continue
      if (!this.#hearsOutput) await sleep(10)
      if (this.#hearsOutput) return kernelInfo(reply)
    }
  }

  /** Until what a dead kernel has written is here, and was taken. */
  async #afterglow(): Promise<void> {
    await sleep(drainMs)
    await this.#backlog.drained()
  }

  /** Everything that came before the mark was taken: the kernel may write on. */
  #acknowledge({ content }: KernelMessage): void {
    const request = this.#newRequest({ channel: 'control', type: acknowledgeType, content })
    // A kernel that this does not reach continues by itself after a while.
    this.#kernel?.channels.send(request).catch(() => {})
  }

  /** The reply to a request, or `undefined` when there will be none. */
  async #ask(request: Request): Promise<KernelMessage | undefined> {
    const message = this.#newRequest(request)
    const { promise, resolve } = Promise.withResolvers<KernelMessage>()
    this.#replies.set(message.header.msg_id, resolve)
    try {
      await this.#kernel?.channels.send(message)
      return await Promise.race([promise, this.#ended.promise.then(() => undefined)])
    } catch {
      return undefined
    } finally {
      this.#replies.delete(message.header.msg_id)
    }
  }

  /**
   * A server starts a kernel again that died, under the same name: its variables are gone. The server itself speaks on
   * `iopub`, too, in a session of its own.
   */
  #isOfNewKernel({ channel, header, content }: KernelMessage): boolean {
    if (this.#info === undefined) return false
    const state = channel === 'iopub' && header.msg_type === 'status' ? content.execution_state : undefined
    if (state === 'restarting' || state === 'dead') return true
    const isReply = channel === 'shell' || channel === 'control'
    const isKernels = isReply || state === 'starting' || state === 'busy' || state === 'idle'
    return isKernels && header.session !== this.#info.session
  }

  #newRequest(request: Request): KernelMessage {
    return newRequest(this.#kernel?.channels.session ?? '', request)
  }

  /** From now on nothing that happens to the kernel is a surprise. */
  #leave(): Kernel | undefined {
    const kernel = this.#kernel
    this.#kernel = undefined
    kernel?.setRef(true)
    this.#ended.resolve()
    this.#cell?.cell.endWith({ kind: 'died', how: 'was stopped', data: {} })
    this.#backlog.close()
    return kernel
  }
}

function kernelInfo({ header, content }: KernelMessage): KernelInfo {
  const { language_info: language } = content as { language_info?: { name?: unknown } }
  return { session: header.session, language: String(language?.name ?? '') }
}

async function sleepUnlessAborted(timeMs: number, signal: AbortSignal): Promise<undefined> {
  // A program that has nothing else to do does not wait for it.
  await sleep(timeMs, undefined, { signal, ref: false }).catch(() => {})
}

export function startFailed({ how, data }: KernelDeath): FencedError {
  return new FencedError({
    code: 'KERNEL_START_FAILED',
    message: `The kernel did not start: it ${how}`,
    data,
  })
}

function answerLost(): FencedError {
  return new FencedError({
    code: 'KERNEL_ANSWER_LOST',
    message:
      'The connection to the Jupyter server was lost and restored, and the answer to the block was lost meanwhile: whether it ran is not known. Call restart() to go on with a new, empty kernel.',
  })
}
