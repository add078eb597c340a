import type {
  AssistantContent,
  FilePart,
  ImagePart,
  ModelMessage,
  TextPart,
  ToolContent,
  UserContent,
} from 'ai'
import type { UsageSummary } from '../usage.ts'
import {
  contentWith,
  hasMadeText,
  isMadeText,
  isPlainText,
  isTextPart,
  madeText,
  type Part,
  plainContent,
} from './made-parts.ts'
import { outputText, type Picture, toolResultsOf } from './tool-parts.ts'

/** Additional data of a message. */
export interface MessageMetadata {
  /** Usage of the models that contributed to the message. Reported in tasks and teams; absent if no model was called. */
  usage?: UsageSummary
  /** Marks a StopMessage, which asks a team to stop. */
  stop?: true
  /** Marks a HandoffMessage: name of the agent that continues, or `user` for the person who gave the task. */
  handoff?: string
  /** Whether the message's code was denied when a state was loaded (`onQuestion`). Such code is never run later. */
  codeDenied?: true
  /** Whether the model's answer was cut off at its token limit. */
  isCut?: true
  /** Application data. Models do not read it. */
  [name: string]: unknown
}

/**
 * Author of a message's text: a model, a person or the application, or a program (the output of code and tools, errors, and texts
 * that Fenced itself creates). The text of a program is data: it never ends a conversation, and is never searched for code.
 */
export type MessageOrigin = 'model' | 'person' | 'program'

/** The data that surrounds an AI SDK message. */
export interface Envelope {
  /** Unique id. It is the same for every agent that stores the message. */
  readonly id: string
  /** Name of the agent that sent the message, or `user`. */
  readonly source: string
  /** Creation time, in ISO 8601 format. */
  readonly createdAt: string
  /** Author of the text. A message can also contain output that a `carryover` appended to it. See {@link writtenTextOf}. */
  readonly origin: MessageOrigin
  readonly metadata?: MessageMetadata
}

/**
 * An AI SDK message in an envelope, with its text, pictures, tool calls, reasoning and provider data. Plain data.
 *
 * The role depends on the agent that stores the message: `assistant` for its own messages, `user` for received messages, and
 * `tool` for tool results. {@link textOf} returns its text.
 */
export type Message = ModelMessage & Envelope

/** A message whose envelope may be incomplete. */
export interface MessageDraft extends Partial<Envelope> {
  readonly role: ModelMessage['role']
  readonly content: string | UserContent | AssistantContent | ToolContent
}

/** A message as accepted by methods: its text, or the message without a role, which is assigned later. */
export type MessageInput = string | (Omit<MessageDraft, 'role'> & Partial<Pick<MessageDraft, 'role'>>)

/** Adds an id and the time to a message if they are missing. */
export function createMessage(
  draft: ModelMessage & Partial<Envelope> & Pick<Envelope, 'source' | 'origin'>,
): Message {
  const origin = originFor(draft.role)
  const missing = { id: crypto.randomUUID(), createdAt: new Date().toISOString(), origin }
  return plainMessage({ ...missing, ...draft })
}

/** Returns a message as plain data, so that its JSON leads to the same prompt. */
export function plainMessage(message: Message): Message {
  const content = plainContent(message.content)
  return content === message.content ? message : ({ ...message, content } as Message)
}

/** Puts a message into an envelope. The default of its source is its role. */
export function enveloped(draft: MessageDraft): Message {
  const content = draft.role === 'user' ? givenContent(draft.content) : draft.content
  return createMessage({ source: draft.role, ...draft, content } as Message)
}

/** The origin of a caller's message that does not name one. */
export function originFor(role: ModelMessage['role'] | undefined): MessageOrigin {
  if (role === 'tool') return 'program'
  return role === 'assistant' ? 'model' : 'person'
}

/**
 * Content of a caller, in the form of messages: a picture becomes a part of the type `file`. Adjacent texts become one text,
 * with an empty line between them, so that a fence begins on a new line.
 */
export function givenContent<Given extends Content>(content: Given): Given {
  return typeof content === 'string' ? content : (joinedTexts(content.map(asFile)) as unknown as Given)
}

/** Assistant messages have no parts of the type `image`, which the AI SDK has replaced by `file`. */
function asFile(part: Part): Part {
  if (part.type !== 'image') return part
  const { image: data, mediaType = 'image', ...others } = part as ImagePart
  return { ...others, type: 'file', mediaType, data } as FilePart
}

/** Plain texts beside each other as one, with an empty line between them. */
export function joinedTexts<Given extends Part>(parts: readonly Given[]): (Given | TextPart)[] {
  const joined: (Given | TextPart)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (isPlainText(last) && isPlainText(part)) {
      joined.splice(-1, 1, { type: 'text', text: `${last.text}\n\n${part.text}` })
    } else joined.push(part)
  }
  return joined
}

/** The output of a program, or a notice, for a model: a message of the user's side, with what code has plotted for it. */
export function outputMessage(source: string, text: string, pictures: readonly Picture[] = []): Message {
  return createMessage({ role: 'user', source, origin: 'program', content: contentWith(text, pictures) })
}

export function modelMessage({ id, source, createdAt, origin, metadata, ...message }: Message): ModelMessage {
  return message as ModelMessage
}

/**
 * Returns the text of a message. For tool results, this is their text, separated by empty lines, unless a person replied instead
 * of the tools.
 */
export function textOf(message: ModelMessage): string {
  if (message.role !== 'tool') return textIn(message.content)
  const interruption = interruptionOf(message)
  return (
    interruption ??
    toolResultsOf(message)
      .map(({ output }) => outputText(output))
      .join('\n\n')
  )
}

/** What a person said instead of the tools that were to be called. */
export function interruptionOf(message: ModelMessage): string | undefined {
  for (const { output } of toolResultsOf(message)) {
    if (output.type === 'execution-denied' && output.reason !== undefined) return output.reason
  }
  return undefined
}

/** Whether a message has no text. Pictures, files, calls and results are content, too. */
export function isEmpty({ content }: ModelMessage): boolean {
  const isText =
    typeof content === 'string' || content.every(({ type }) => type === 'text' || type === 'reasoning')
  return isText && textIn(content).trim() === ''
}

/** The texts among parts. What a picture or a file parts are two paragraphs. */
export function textIn(content: Content): string {
  if (typeof content === 'string') return content
  let text = ''
  let isParted = false
  for (const part of content) {
    if (isTextPart(part)) {
      text += isParted && text !== '' ? `\n\n${part.text}` : part.text
      isParted = false
    } else isParted ||= isFilePart(part)
  }
  return text
}

export function isFilePart({ type }: { readonly type: string }): boolean {
  return type === 'file' || type === 'image'
}

type Content = Exclude<MessageInput, string>['content']

/** Returns the message with a different text. Its other parts are kept. */
export function withText<Given extends { readonly content: Content }>(message: Given, text: string): Given {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: text }
  const others = content.filter((part) => !isTextPart(part))
  const first = hasMadeText(message) ? madeText(text) : { type: 'text', text }
  return { ...message, content: [first, ...others] }
}

/** Returns the message with a text appended to its last text, or to its parts if it has no text. */
export function withAppendedText<Given extends { readonly content: Content }>(
  message: Given,
  text: string,
): Given {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: content + text }
  const last = content.findLast(isTextPart)
  if (last === undefined || isMadeText(last)) {
    const added = { type: 'text' as const, text: last === undefined ? text.trimStart() : text }
    return { ...message, content: [...content, added] }
  }
  return {
    ...message,
    content: content.map((part) => (part === last ? { ...last, text: last.text + text } : part)),
  }
}

/** Returns the message with a text of a program appended, as a separate part that is marked as such. */
export function withAppendedOutput<Given extends { readonly content: Content }>(
  message: Given,
  text: string,
): Given {
  const { content } = message
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const output = madeText(parts.some(isTextPart) ? text : text.trimStart())
  return { ...message, content: [...parts, output] }
}

interface AnswerFacts {
  readonly usage?: UsageSummary | undefined
  readonly isCut?: boolean | undefined
  readonly stop?: boolean | undefined
}

/** The metadata of an answer; none where nothing is to be said. */
export function metadataOf({ usage, ...facts }: AnswerFacts): Pick<Message, 'metadata'> {
  const isUsed = usage !== undefined && Object.keys(usage.byModel).length > 0
  const said = Object.fromEntries(Object.entries(facts).filter(([, value]) => value === true))
  const metadata: MessageMetadata = { ...(isUsed ? { usage } : {}), ...said }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}
