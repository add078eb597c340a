import type { CodeBlock, CodeResult, ExecutionEvent, Notice } from '@fenced/core'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { ChatMessage, ToolCall, ToolResponse } from '../message/chat-message.ts'
import type { ModelEvent } from '../model/model-request.ts'
import type { ChatResult } from './chat-result.ts'

/**
 * What happens in a conversation, in order. A `message` comes when it has been said; what led to it, tokens of a model
 * or output of a program, comes before. `agent` is the name of the one who does it.
 *
 * - `chat-start`, `chat-end`: a conversation; nested ones and those of a queue stand inside of each other.
 * - `message`: `sender` has said it to `recipient`. Its role is `assistant`, or `tool` for answers to tool calls.
 * - `human-input-request`, `human-input`: a person is asked, and has answered. The person is asked when the reader of the
 *   events comes back for the next one: a loop body that waits for the answer to this very question waits for ever.
 * - `no-human-input`: the answer was empty.
 * - `auto-reply`: the agent answers by itself.
 * - `model`: a model is asked: its tokens as they come, what they cost, and whether another one had to step in.
 * - `code-start`, `code`, `code-end`: blocks are run; `code` holds each event of the executor.
 * - `tool-start`, `tool-output`, `tool-end`: a tool is called; `tool-output` holds what it tells before its end.
 * - `inner-message`: an agent's model has asked for the agent's own tools, or has got their answers. Its partner hears neither.
 * - `notice`: something that a reader should know.
 * - `termination`: the conversation ends, and why.
 * - `events-dropped`: nobody was iterating for so long that this many events were left out here.
 */
export type ChatEvent =
  | { type: 'chat-start'; sender: string; recipient: string; queueIndex?: number }
  | { type: 'chat-end'; sender: string; recipient: string; result: ChatResult }
  | { type: 'message'; sender: string; recipient: string; message: ChatMessage }
  | { type: 'human-input-request'; request: HumanInputRequest }
  | { type: 'human-input'; agent: string; text: string }
  | { type: 'no-human-input'; agent: string }
  | { type: 'auto-reply'; agent: string }
  | { type: 'model'; agent: string; event: ModelEvent }
  | { type: 'code-start'; agent: string; blocks: readonly CodeBlock[] }
  | { type: 'code'; agent: string; event: ExecutionEvent }
  | { type: 'code-end'; agent: string; result: CodeResult }
  | { type: 'tool-start'; agent: string; call: ToolCall }
  | { type: 'tool-output'; agent: string; call: ToolCall; output: unknown }
  | { type: 'tool-end'; agent: string; call: ToolCall; response: ToolResponse }
  | { type: 'inner-message'; agent: string; message: ChatMessage }
  | { type: 'notice'; agent: string; notice: Notice }
  | { type: 'termination'; agent: string; reason: string }
  | { type: 'events-dropped'; count: number }
