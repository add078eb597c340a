import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type {
  AssistantContent,
  AssistantModelMessage,
  FilePart,
  ModelMessage,
  TextPart,
  ToolResultPart,
  UserContent,
} from 'ai'
import { isPlainText, madePicture, withoutMarks } from '../message/made-parts.ts'
import { interruptionOf, joinedTexts, textOf } from '../message/message.ts'
import {
  isErrorOutput,
  isOwnCall,
  outputText,
  pairToolAnswers,
  picturesIn,
  type ToolCall,
  toolCallsOf,
  toolResultsOf,
} from '../message/tool-parts.ts'

const notRun = 'This call was not run.'
const noOutput = '(no output)'

export interface ModelPrompt {
  readonly instructions?: string
  readonly messages: ModelMessage[]
}

/** Options of {@link toModelMessages}. */
interface PromptOptions {
  /** The model's instructions. @default '' */
  readonly instructions?: string | undefined
  /** Messages of the conversation, with or without an envelope. */
  readonly messages: readonly ModelMessage[]
  /** Whether the model receives the pictures that code and tools have made: the newest 20, up to 15 MB. @default false */
  readonly pictures?: boolean | undefined
}

const promptOptionNames: OptionNames<PromptOptions> = { instructions: true, messages: true, pictures: true }

/**
 * Returns the messages of a conversation in a form that every provider accepts.
 *
 * - System messages at the beginning become instructions; later system messages become user messages.
 * - User and model take turns: consecutive messages of one become one message, with an empty line between. If the model speaks
 *   first, a remark of the user precedes it.
 * - Empty messages of the model are left out. An empty message of the user is `(empty message)`, and an empty tool result `(no
 *   output)`.
 * - Tool results follow their calls. A call without a result gets a result that says so; a result without its call, which was
 *   left out, becomes a user message.
 * - Text of a person in place of results follows the calls.
 * - Answers of the model keep all their parts. Plots follow the text that names them, for a model that accepts pictures.
 */
export function toModelMessages(options: PromptOptions): ModelPrompt {
  const {
    instructions = '',
    messages,
    pictures = false,
  } = knownOptions(options, promptOptionNames, 'toModelMessages()')
  const start = messages.findIndex(({ role }) => role !== 'system')
  const [system, rest] = start === -1 ? [messages, []] : [messages.slice(0, start), messages.slice(start)]
  const texts = [instructions, ...system.map(textOf)].filter((text) => text.trim() !== '')

  const turns = new ModelTurns()
  const shown: ReadonlySet<object> = pictures ? newestPictures(rest) : new Set()
  const pairs = pairToolAnswers(rest)
  for (const [index, message] of rest.entries()) {
    const { toCalls = [], strays = [] } = pairs[index] ?? {}
    for (const stray of strays) turns.addUser(strayParts(stray, shown))
    const calls = toolCallsOf(message)
    if (message.role === 'assistant') turns.addAssistant(assistantParts(message))
    else if (message.role !== 'tool' || interruptionOf(message) !== undefined)
      turns.addUser(userParts(message, (part) => shown.has(part)))
    if (calls.length === 0) continue
    turns.addToolResults(calls.map((call, position) => resultPart(call, toCalls[position]?.result, shown)))
  }
  return {
    ...(texts.length === 0 ? {} : { instructions: texts.join('\n\n') }),
    messages: turns.toMessages(),
  }
}

/** Anthropic takes smaller pictures only where there are more, and 32 MB in all; others take more of both. */
const maxCount = 20
const maxBytes = 15_000_000

/** The parts with pictures that fit into one request, the newest first: a long conversation would send all of them with each. */
function newestPictures(messages: readonly ModelMessage[]): ReadonlySet<object> {
  const newest = new Set<object>()
  let left = maxBytes
  for (const part of messages.flatMap(pictureParts).toReversed()) {
    left -= Buffer.byteLength(picturesIn(part)[0]?.data ?? '', 'base64')
    if (left < 0 || newest.size === maxCount) break
    newest.add(part)
  }
  return newest
}

function pictureParts(message: ModelMessage): object[] {
  if (message.role === 'tool') {
    return toolResultsOf(message).flatMap(({ output }) =>
      output.type === 'content' ? output.value.filter((part) => picturesIn(part).length > 0) : [],
    )
  }
  if (message.role !== 'user' || typeof message.content === 'string') return []
  return message.content.filter((part) => madePicture(part) !== undefined)
}

/** The parts of a message of the user's side, with those pictures of code that are shown. */
export function userParts(message: ModelMessage, isShown: (part: object) => boolean): UserPart[] {
  if (message.role !== 'user' || typeof message.content === 'string') return [textPart(textOf(message))]
  return withoutMarks(message.content).flatMap((part) => {
    const picture = madePicture(part)
    if (picture === undefined) return part
    return isShown(part) ? { type: 'file', ...picture } : []
  })
}

/** What code has plotted for the agent itself is for others. */
function assistantParts({ content }: AssistantModelMessage): AssistantPart[] {
  if (typeof content === 'string') return [textPart(content)]
  return withoutMarks(content)
    .filter((part) => madePicture(part) === undefined)
    .map((part) => (isOwnCall(part) ? { ...part, input: objectOf(part.input) } : part))
}

/** Providers take objects only; a model that wrote something else sees it in the answer to its call. */
function objectOf(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : {}
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}

function resultPart(
  { id: toolCallId, name: toolName }: ToolCall,
  result: ToolResultPart | undefined,
  shown: ReadonlySet<object>,
): ToolResultPart {
  const output = result?.output ?? { type: 'error-text', value: notRun }
  return { type: 'tool-result', toolCallId, toolName, output: shownOutput(output, shown) }
}

/** An output with a text, and with those of its pictures that are shown. */
function shownOutput(output: ToolResultPart['output'], shown: ReadonlySet<object>): ToolResultPart['output'] {
  if (output.type === 'json' || output.type === 'error-json') return output
  const text = answerText(output)
  if (output.type !== 'content') return { type: isErrorOutput(output) ? 'error-text' : 'text', value: text }
  const others = output.value.filter((part) => part.type !== 'text')
  const files = others.filter((part) => shown.has(part) || picturesIn(part).length === 0)
  if (files.length === 0) return { type: 'text', value: text }
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}

function strayParts({ toolName, output }: ToolResultPart, shown: ReadonlySet<object>): UserPart[] {
  const title = `${isErrorOutput(output) ? 'Error' : 'Answer'} of the tool "${toolName}":`
  const files = output.type === 'content' ? output.value.filter((part) => shown.has(part)) : []
  return [
    textPart(`${title}\n${answerText(output)}`),
    ...files.flatMap(picturesIn).map((picture): FilePart => ({ type: 'file', ...picture })),
  ]
}

function answerText(output: ToolResultPart['output']): string {
  const text = outputText(output)
  return text.trim() === '' ? noOutput : text
}

type UserPart = Exclude<UserContent, string>[number]
type AssistantPart = Exclude<AssistantContent, string>[number]

type Turn =
  | { readonly role: 'user'; readonly parts: UserPart[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] }
  | { readonly role: 'tool'; readonly content: ToolResultPart[] }

const emptyMessage = '(empty message)'
const beginning = '(The conversation begins.)'

/**
 * Messages for a model, put together so that every provider takes them: user and model take turns, the user begins, and
 * no text is empty.
 */
class ModelTurns {
  readonly #turns: Turn[] = []

  /** Messages of the user in a row become one. An empty one is marked as such, unless there is another beside it. */
  addUser(parts: readonly UserPart[]): void {
    const said = parts.filter(saysSomething)
    const last = this.#turns.at(-1)
    if (last?.role === 'user') last.parts.push(...said)
    else this.#turns.push({ role: 'user', parts: said })
  }

  /** Answers of the model in a row become one. An empty one is left out. */
  addAssistant(parts: readonly AssistantPart[]): void {
    const said = parts.filter(saysSomething)
    if (said.length === 0) return
    const last = this.#turns.at(-1)
    if (last?.role === 'assistant') last.parts.push(...said)
    else this.#turns.push({ role: 'assistant', parts: said })
  }

  addToolResults(content: ToolResultPart[]): void {
    this.#turns.push({ role: 'tool', content })
  }

  toMessages(): ModelMessage[] {
    const messages = this.#turns.map(modelMessage)
    return messages[0]?.role === 'user' ? messages : [{ role: 'user', content: beginning }, ...messages]
  }
}

/** An empty text with something for its provider says something to it. */
function saysSomething(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '' || part.providerOptions !== undefined
}

function modelMessage(turn: Turn): ModelMessage {
  switch (turn.role) {
    case 'tool':
      return turn
    case 'user':
      return { role: 'user', content: contentOf(turn.parts) ?? emptyMessage }
    case 'assistant':
      return { role: 'assistant', content: contentOf(turn.parts) ?? '' }
  }
}

/** Plain texts in a row become one, and what is nothing else a text: some servers take no parts. */
export function contentOf<Part extends UserPart | AssistantPart>(
  parts: readonly Part[],
): string | (Part | TextPart)[] | undefined {
  const joined = joinedTexts(parts)
  const [first] = joined
  return joined.length > 1 || (first !== undefined && !isPlainText(first)) ? joined : first?.text
}
