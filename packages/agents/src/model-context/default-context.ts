import { FencedError } from '@fenced/core'
import type { Message } from '../message/message.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { HeadAndTailChatCompletionContext, TokenLimitedChatCompletionContext } from './contexts.ts'
import type { ModelContext } from './model-context.ts'

/** Maximum number of messages that a model reads if its number of tokens is unknown. */
const defaultSize = 400

export interface ModelContextOptions {
  readonly modelContext?: ModelContext | undefined
  readonly maxInputTokens?: number | undefined
}

/** The context of an agent's options. By default, it keeps the first message, which contains the task, and the newest messages. */
export function modelContextOf({ modelContext, maxInputTokens }: ModelContextOptions): ModelContext {
  if (modelContext === undefined)
    return maxInputTokens === undefined
      ? new HeadAndTailChatCompletionContext({ headSize: 1, tailSize: defaultSize - 1 })
      : new TokenLimitedChatCompletionContext({ tokenLimit: maxInputTokens })
  if (maxInputTokens === undefined) return modelContext
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message:
      '`modelContext` and `maxInputTokens` both limit the messages that the model reads. Pass only one of them.',
    data: { option: 'maxInputTokens' },
  })
}

/** What a model context selected from the messages of a conversation. */
interface Selection {
  readonly all: readonly Message[]
  readonly selected: readonly Message[]
}

/** Reports, once per conversation, that an agent's model does not read all messages. */
export class OmissionNotice {
  #isReported = false

  /** Selects from messages that the context does not store. Its own messages come first. */
  async select(
    { context, messages }: { readonly context: ModelContext; readonly messages: readonly Message[] },
    agent: string,
    run: Pick<RunContext, 'emit'>,
  ): Promise<readonly Message[]> {
    const all = [...(await context.messages()), ...messages]
    const selected = await context.select(all)
    await this.report({ all, selected }, agent, run)
    return selected
  }

  async report(
    { all, selected }: Selection,
    agent: string,
    { emit }: Pick<RunContext, 'emit'>,
  ): Promise<void> {
    if (this.#isReported) return
    const ids = new Set(selected.map(({ id }) => id))
    const count = all.filter(({ id }) => !ids.has(id)).length
    if (count === 0) return
    this.#isReported = true
    const message = `The model of ${agent} no longer reads the whole conversation: ${count} of ${all.length} messages are left out. The options \`maxInputTokens\` and \`modelContext\` set the limit.`
    const data = { count: `${count}`, messages: `${all.length}` }
    await emit({ type: 'notice', agent, notice: { code: 'messages-left-out', message, data } })
  }

  /** A new conversation begins. */
  clear(): void {
    this.#isReported = false
  }
}
