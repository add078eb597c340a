import { FencedError } from '@fenced/core'
import { pathsOf } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { type AssistantContent, modelMessageSchema, type UserContent } from 'ai'
import { isMadeText, isPlainText } from './made-parts.ts'
import {
  createMessage,
  type Envelope,
  enveloped,
  givenContent,
  isFilePart,
  type Message,
  type MessageDraft,
  type MessageInput,
  originFor,
  textOf,
  withText,
} from './message.ts'
import { isOwnCall, toolCallsOf } from './tool-parts.ts'
import { copiesOutput, originOf } from './written-text.ts'

const said = {
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)], {
    error: 'must be a text, or parts of the AI SDK',
  }),
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
  providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
} as const

const envelope = z.strictObject({
  id: z.string(),
  source: z.string(),
  createdAt: z.string(),
  origin: z.enum(['model', 'person', 'program']),
})
const draft = envelope.partial().extend(said)

/** The AI SDK knows which parts a message may have. */
function checkParts(
  { role, content }: { readonly role: string; readonly content: unknown },
  context: z.RefinementCtx,
): void {
  if (modelMessageSchema.safeParse({ role, content }).success) return
  const message = `these parts are not allowed in a message with the role ${role}`
  context.addIssue({ code: 'custom', path: ['content'], message })
}

/** A message as an agent keeps it. */
export const messageSchema = envelope.extend(said).superRefine(checkParts) as unknown as z.ZodType<Message>

/** A message that is given to begin with: it may be without its envelope. */
export const draftSchema: z.ZodType<Message> = draft
  .transform((given) => ({ ...given, content: contentOf(given as unknown as MessageDraft) }))
  .superRefine(checkParts)
  .transform((given): Message => enveloped(given as unknown as MessageDraft))

/** A message from a caller, before it has a role. */
const inputSchema = draft
  .extend({ role: said.role.optional() })
  .transform((given) => ({
    ...given,
    content: contentOf(given as unknown as MessageDraft),
    role: roleOf(given.content),
  }))
  .superRefine(checkParts)

/** What a model said stays as it came. */
function contentOf({ role, content }: Exclude<MessageInput, string>): MessageDraft['content'] {
  return role === 'assistant' ? content : givenContent(content)
}

function roleOf(content: unknown): 'assistant' | 'tool' {
  const areAnswers =
    Array.isArray(content) &&
    content.every(({ type }) => type === 'tool-result' || type === 'tool-approval-response')
  return areAnswers ? 'tool' : 'assistant'
}

/**
 * A message as its sender keeps it: its role is `assistant`, or `tool` if it contains tool results. A received message becomes a
 * message of the sender, with the same origin.
 *
 * @throws FencedError `INVALID_MESSAGE`.
 */
export function toSent(input: MessageInput, speaker: string): Message {
  if (typeof input === 'string')
    return createMessage({ role: 'assistant', source: speaker, origin: 'person', content: input })
  const parsed = inputSchema.safeParse(input)
  if (!parsed.success)
    throw new FencedError({
      code: 'INVALID_MESSAGE',
      message: `${speaker} cannot send this message:\n${z.prettifyError(parsed.error)}`,
      data: { agent: speaker, path: pathsOf(parsed.error) },
    })
  const { id, source = speaker, createdAt, ...others } = input
  const role = roleOf(others.content)
  const origin = others.origin ?? originFor(role === 'tool' ? role : others.role)
  const message = { ...others, origin, content: contentOf(input), role }
  if (id === undefined) return createMessage({ ...message, source } as Message)
  if (source !== speaker) return createMessage({ ...message, source: speaker } as Message)
  return createMessage({
    ...message,
    id,
    source,
    ...(createdAt === undefined ? {} : { createdAt }),
  } as Message)
}

/**
 * A message from an application's function. If it repeats output, its origin is `program`, unless the function names another
 * origin.
 *
 * @throws FencedError `INVALID_MESSAGE`.
 */
export function fromFunction(given: MessageInput, speaker: string, outputs: readonly string[]): MessageInput {
  const sent = toSent(given, speaker)
  const isNamed = typeof given !== 'string' && given.origin !== undefined
  return !isNamed && copiesOutput(textOf(sent), outputs) ? { ...sent, origin: 'program' } : given
}

/**
 * The same message as its listener keeps it, without what only the model that wrote it understands: thoughts, and what its
 * provider wants back. One with calls stays its speaker's, as AutoGen has it.
 */
export function toReceived(message: Message): Message {
  if (message.role === 'tool') return message
  const { role: _role, content, providerOptions: _options, ...others } = message
  const heard: Envelope = others
  if (typeof content === 'string') return { ...heard, role: 'user', content }
  const role = toolCallsOf(message).length > 0 ? 'assistant' : 'user'
  const parts = heardParts(content)
  if (parts.every(isPlainText)) return { ...heard, role, content: textOf(message) }
  return { ...heard, role, content: parts } as Message
}

/** Texts, pictures and calls, without what is for the provider. Pieces of one text are one. */
function heardParts(content: readonly GivenPart[]): GivenPart[] {
  const parts: GivenPart[] = []
  for (const part of content) {
    const last = parts.at(-1)
    if (isMadeText(part)) parts.push(part)
    else if (part.type === 'text') {
      if (isPlainText(last)) parts.splice(-1, 1, { type: 'text', text: last.text + part.text })
      else if (part.text !== '') parts.push({ type: 'text', text: part.text })
    } else if (isFilePart(part)) parts.push(part)
    else if (isOwnCall(part)) {
      const { providerOptions: _signature, ...call } = part
      parts.push(call)
    }
  }
  return parts
}

type GivenPart = Exclude<AssistantContent | UserContent, string>[number]

/** A message as its listener's model is given it: calls of tools and their answers are a text. */
export function userMessage(message: Message): Message {
  const { id, source, createdAt, metadata } = message
  const envelope = {
    id,
    source,
    createdAt,
    origin: originOf(message),
    ...(metadata === undefined ? {} : { metadata }),
  }
  const files = message.role === 'tool' || typeof message.content === 'string' ? [] : message.content
  const pictures = files.filter((part) => part.type === 'file')
  const text = textOf(message)
  const content = pictures.length === 0 ? text : [{ type: 'text', text } as const, ...pictures]
  return { ...envelope, role: 'user', content }
}

/** The messages as a model reads them: with the names of the others, if it hears several. @param self - The model's agent. */
export function withNames(messages: readonly Message[], self: string): readonly Message[] {
  const isHeard = ({ role, source }: Message) => role === 'user' && source !== self && source !== ''
  const speakers = new Set(messages.filter(isHeard).map(({ source }) => source))
  if (speakers.size < 2) return messages
  // On a separate line, so that it does not hide the beginning of a code block.
  return messages.map((message) =>
    isHeard(message) ? withText(message, `${message.source}:\n${textOf(message)}`) : message,
  )
}
