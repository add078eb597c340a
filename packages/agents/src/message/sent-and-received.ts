import { FencedError } from '@fenced/core'
import { pathsOf } from '@fenced/core/internal'
import { modelMessageSchema } from 'ai'
import { z } from 'zod'
import {
  createMessage,
  type Envelope,
  enveloped,
  type Message,
  type MessageDraft,
  type MessageInput,
  textOf,
  withText,
} from './message.ts'
import { isOwnCall, toolCallsOf } from './tool-parts.ts'

const said = {
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)], {
    error: 'must be a text, or parts of the AI SDK',
  }),
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
  providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
} as const

const envelope = z.strictObject({ id: z.string(), source: z.string(), createdAt: z.string() })
const draft = envelope.partial().extend(said)

/** The AI SDK knows which parts a message may have. */
function checkParts({ role, content }: z.output<typeof draft>, context: z.RefinementCtx): void {
  if (modelMessageSchema.safeParse({ role, content }).success) return
  const message = `these are no parts of a message with the role ${role}`
  context.addIssue({ code: 'custom', path: ['content'], message })
}

/** A message as an agent keeps it. */
export const messageSchema = envelope.extend(said).superRefine(checkParts) as unknown as z.ZodType<Message>

/** A message that is given to begin with: it may be without its envelope. */
export const draftSchema: z.ZodType<Message> = draft
  .superRefine(checkParts)
  .transform((given): Message => enveloped(given as unknown as MessageDraft))

/** A message as somebody gives it, before it has its role. */
const inputSchema = draft
  .extend({ role: said.role.optional() })
  .transform((given) => ({ ...given, role: roleOf(given.content) }))
  .superRefine(checkParts)

function roleOf(content: unknown): 'assistant' | 'tool' {
  const areAnswers =
    Array.isArray(content) &&
    content.every(({ type }) => type === 'tool-result' || type === 'tool-approval-response')
  return areAnswers ? 'tool' : 'assistant'
}

/**
 * A message as its speaker keeps it: its role is `assistant`, or `tool` where it answers calls. What another one has said
 * becomes a message of its own.
 *
 * @throws FencedError `INVALID_MESSAGE`.
 */
export function toSent(input: MessageInput, speaker: string): Message {
  if (typeof input === 'string') return createMessage({ role: 'assistant', source: speaker, content: input })
  const parsed = inputSchema.safeParse(input)
  if (!parsed.success)
    throw new FencedError({
      code: 'INVALID_MESSAGE',
      message: `${speaker} cannot send this message:\n${z.prettifyError(parsed.error)}`,
      data: { agent: speaker, path: pathsOf(parsed.error) },
    })
  const { id, source = speaker, createdAt, ...others } = input
  const message = { ...others, role: roleOf(others.content) }
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
 * The same message as its listener keeps it, without what only the model that wrote it understands: thoughts, and what its
 * provider wants back. One with calls stays its speaker's, as AutoGen has it.
 */
export function toReceived(message: Message): Message {
  if (message.role === 'tool') return message
  const { role: _role, content, providerOptions: _options, ...others } = message
  const heard: Envelope = others
  if (typeof content === 'string') return { ...heard, role: 'user', content }
  const files = content.filter(({ type }) => type === 'file' || type === 'image')
  const calls = content.filter(isOwnCall).map(({ providerOptions: _signature, ...call }) => call)
  const text = textOf(message)
  const role = toolCallsOf(message).length > 0 ? 'assistant' : 'user'
  if (files.length + calls.length === 0) return { ...heard, role, content: text }
  const parts = [...(text === '' ? [] : [{ type: 'text', text }]), ...files, ...calls]
  return { ...heard, role, content: parts } as Message
}

/** A message as its listener's model is given it: calls of tools and their answers are a text. */
export function userMessage(message: Message): Message {
  const { id, source, createdAt, metadata } = message
  const envelope = { id, source, createdAt, ...(metadata === undefined ? {} : { metadata }) }
  const files = message.role === 'tool' || typeof message.content === 'string' ? [] : message.content
  const pictures = files.filter((part) => part.type === 'file')
  const text = textOf(message)
  const content = pictures.length === 0 ? text : [{ type: 'text', text } as const, ...pictures]
  return { ...envelope, role: 'user', content }
}

/** The messages with the names of their speakers, where an agent hears more than one. @param self - who is not named. */
export function withNames(messages: readonly Message[], self?: string): readonly Message[] {
  const isHeard = ({ role, source }: Message) => role === 'user' && source !== self
  const speakers = new Set(messages.filter(isHeard).map(({ source }) => source))
  if (speakers.size < 2) return messages
  // On a line of its own, where it does not hide the beginning of a block of code.
  return messages.map((message) =>
    isHeard(message) ? withText(message, `${message.source}:\n${textOf(message)}`) : message,
  )
}
