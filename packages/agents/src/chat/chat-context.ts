import type { OutputFile } from '@fenced/core'
import type { HumanInput, HumanInputRequest } from '../human-input/human-input.ts'
import type { Usage } from '../model/usage.ts'
import { UsageMeter } from '../model/usage.ts'
import type { RunContext } from '../running/run-with-events.ts'

/** What a conversation gives to the functions that reply in it. */
export interface ReplyChat extends RunContext {
  /** Counts what a model has used. */
  addUsage(modelId: string, usage: Usage): void
  /** Asks a person, when the reader of the events has seen all that came before. */
  ask(request: HumanInputRequest, humanInput: HumanInput): Promise<string>
}

/** One running conversation, as everything that takes part in it sees it. */
export class ChatContext implements ReplyChat {
  readonly signal: AbortSignal
  readonly emit: RunContext['emit']
  readonly usage = new UsageMeter()
  readonly drained: RunContext['drained']
  readonly #parent: ChatContext | undefined
  /** By path, as they were changed last. */
  readonly #files = new Map<string, OutputFile>()
  readonly #answers: { readonly agent: string; readonly text: string }[] = []

  constructor({ signal, emit, drained }: RunContext, parent?: ChatContext) {
    this.signal = signal
    this.emit = (event) => {
      if (event.type === 'code-end') for (const file of event.result.files) this.#files.set(file.path, file)
      return emit(event)
    }
    this.drained = drained
    this.#parent = parent
  }

  /** A conversation inside of this one: its events are this one's, and its usage counts here as well. */
  nested(signal: AbortSignal = this.signal): ChatContext {
    return new ChatContext({ signal, emit: this.emit, drained: this.drained }, this)
  }

  addUsage(modelId: string, usage: Usage): void {
    this.usage.add(modelId, usage)
    this.#parent?.addUsage(modelId, usage)
  }

  /** What programs have made or changed in this conversation, each file once. */
  get files(): readonly OutputFile[] {
    return [...this.#files.values()]
  }

  async ask(request: HumanInputRequest, humanInput: HumanInput): Promise<string> {
    const { agent, id: requestId } = request
    await this.emit({ type: 'human-input-requested', agent, request })
    await this.drained()
    this.signal.throwIfAborted()
    const text = await humanInput.ask(request, { signal: this.signal })
    this.#answers.push({ agent, text })
    await this.emit({ type: 'human-input-answered', agent, requestId, text })
    return text
  }

  /** How often a person has answered in this conversation. */
  get answered(): number {
    return this.#answers.length
  }

  /** What was typed for an agent in this conversation. */
  answersFor(agent: string): readonly string[] {
    return this.#answers.filter((answer) => answer.agent === agent).map(({ text }) => text)
  }
}
