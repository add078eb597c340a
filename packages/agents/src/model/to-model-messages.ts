import type { ModelMessage, TextPart, ToolResultPart, UserContent } from 'ai'
import type { AnswerPart, ChatMessage, Picture, ToolCall, ToolResponse } from '../message/chat-message.ts'
import { partsForModel } from './answer-parts.ts'
import { newestPictures, pictureOutput, picturePart } from './newest-pictures.ts'
import { pairToolAnswers } from './pair-tool-answers.ts'

const notRun = 'This call was not run.'
const noOutput = '(no output)'

/** What a model of the AI SDK is given. */
export interface ModelPrompt {
  readonly instructions?: string
  readonly messages: ModelMessage[]
}

/**
 * The messages of a conversation, as every provider takes them.
 *
 * - Messages of the system before all others belong to the instructions; later ones are said by the user.
 * - User and model take turns: what one says in a row becomes one message, with an empty line between. When the model
 *   itself has the first word, the user begins with a remark.
 * - Empty messages of the model are left out; an empty one of the user is `(empty message)`, and an empty answer of a
 *   tool `(no output)`.
 * - The answers to calls follow on them. A call without an answer gets one that says so; an answer without its call,
 *   since the conversation was cut, is said by the user.
 * - What a person says in a message with answers follows on them, unless it only repeats them.
 * - The answers of the model have all of their parts, see `ChatMessage.parts`; what code has plotted stands after the text
 *   that names it, for a model that takes pictures.
 */
export function toModelMessages({
  instructions = '',
  messages,
  pictures = false,
}: {
  readonly instructions?: string | undefined
  readonly messages: readonly ChatMessage[]
  readonly pictures?: boolean | undefined
}): ModelPrompt {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const [system, rest] = start === -1 ? [messages, []] : [messages.slice(0, start), messages.slice(start)]
  const texts = [instructions, ...system.map(({ content }) => content)].filter((text) => text.trim() !== '')

  const turns = new Turns()
  const newest: ReadonlySet<Picture> = pictures ? newestPictures(rest) : new Set()
  const shown = (message: Pick<ChatMessage, 'pictures'> = {}) =>
    (message.pictures ?? []).filter((picture) => newest.has(picture))
  const pairs = pairToolAnswers(rest)
  for (const [index, message] of rest.entries()) {
    const { toCalls = [], strays = [] } = pairs[index] ?? {}
    const { content, toolCalls = [] } = message
    for (const stray of strays) turns.addUser([textPart(strayText(stray)), ...shown(stray).map(picturePart)])
    if (toolCalls.length > 0) {
      turns.addAssistant(partsForModel(message))
      turns.addToolResults(
        toolCalls.map((call, position) => resultPart(call, toCalls[position], shown(toCalls[position]))),
      )
    } else if (message.role === 'assistant') turns.addAssistant(partsForModel(message))
    else if (!isSaid(message)) turns.addUser([textPart(content), ...shown(message).map(picturePart)])
  }
  return {
    ...(texts.length === 0 ? {} : { instructions: texts.join('\n\n') }),
    messages: turns.toMessages(),
  }
}

/** Whether the answers in a message say all that is in its text. */
function isSaid({ content, toolResponses = [] }: ChatMessage): boolean {
  if (toolResponses.length === 0) return false
  return content.trim() === '' || content === toolResponses.map((response) => response.content).join('\n\n')
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}

function resultPart(
  { id, name }: ToolCall,
  response: ToolResponse | undefined,
  pictures: readonly Picture[],
): ToolResultPart {
  const { content = notRun, isError = response === undefined } = response ?? {}
  const value = textOf(content)
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output:
      pictures.length > 0 ? pictureOutput(value, pictures) : { type: isError ? 'error-text' : 'text', value },
  }
}

function strayText({ name, content, isError }: ToolResponse): string {
  return `${isError ? 'Error' : 'Answer'} of the tool "${name}":\n${textOf(content)}`
}

function textOf(content: string): string {
  return content.trim() === '' ? noOutput : content
}

type UserPart = Exclude<UserContent, string>[number]

type Turn =
  | { readonly role: 'user'; readonly parts: UserPart[] }
  | { readonly role: 'assistant'; readonly parts: AnswerPart[] }
  | { readonly role: 'tool'; readonly content: ToolResultPart[] }

const emptyMessage = '(empty message)'
const beginning = '(The conversation begins.)'

/**
 * Messages for a model, put together so that every provider takes them: user and model take turns, the user begins, and
 * no text is empty.
 */
class Turns {
  readonly #turns: Turn[] = []

  /** Messages of the user in a row become one. An empty one is marked as such, unless there is another beside it. */
  addUser(parts: readonly UserPart[]): void {
    const said = parts.filter(saysSomething)
    const last = this.#turns.at(-1)
    if (last?.role === 'user') last.parts.push(...said)
    else this.#turns.push({ role: 'user', parts: said })
  }

  /** Answers of the model in a row become one. An empty one is left out. */
  addAssistant(parts: readonly AnswerPart[]): void {
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
function saysSomething(part: UserPart | AnswerPart): boolean {
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
function contentOf<Part extends UserPart | AnswerPart>(
  parts: readonly Part[],
): string | (Part | TextPart)[] | undefined {
  const joined: (Part | TextPart)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (isPlainText(last) && isPlainText(part)) {
      joined.splice(-1, 1, { type: 'text', text: `${last.text}\n\n${part.text}` })
    } else joined.push(part)
  }
  const [first] = joined
  return joined.length > 1 || (first !== undefined && !isPlainText(first)) ? joined : first?.text
}

function isPlainText(part: { readonly type: string } | undefined): part is TextPart {
  return part?.type === 'text' && !('providerOptions' in part)
}
