import type { KernelChannels } from '../channels/kernel-channels.ts'
import { type KernelMessage, newRequest, type Request } from '../protocol/message.ts'

/** Requests to one kernel, and its replies. Without channels nothing is sent. */
export class Requests {
  /** The channels of the kernel, from its start until the client leaves it. */
  channels: KernelChannels | undefined
  readonly #replies = new Map<string, (reply: KernelMessage) => void>()
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when no more replies can come. */
  readonly ended = this.#ended.promise
  #inputSent: Promise<unknown> = Promise.resolve()

  create(request: Request): KernelMessage {
    return newRequest(this.channels?.session ?? '', request)
  }

  async send(message: KernelMessage): Promise<void> {
    await this.channels?.send(message)
  }

  /** Sends a request. Resolves with the reply, or with `undefined` when no reply can come. */
  async ask(request: Request): Promise<KernelMessage | undefined> {
    const message = this.create(request)
    const { promise, resolve } = Promise.withResolvers<KernelMessage>()
    this.#replies.set(message.header.msg_id, resolve)
    try {
      await this.send(message)
      return await Promise.race([promise, this.ended.then(() => undefined)])
    } catch {
      return undefined
    } finally {
      this.#replies.delete(message.header.msg_id)
    }
  }

  /** Sends a line of input, after the lines before it. */
  sendInput(content: KernelMessage['content']): Promise<void> {
    const reply = this.create({ channel: 'stdin', type: 'input_reply', content })
    const sent = this.#inputSent.then(() => this.send(reply))
    this.#inputSent = sent.catch(() => {})
    return sent
  }

  /** Takes the reply to the request with this id. */
  take(id: string, reply: KernelMessage): void {
    this.#replies.get(id)?.(reply)
  }

  end(): void {
    this.#ended.resolve()
  }
}
