import { generateText, type ModelMessage } from 'ai'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { UnboundedChatCompletionContext } from '../model-context/contexts.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { createMessage, type Message, modelMessage } from './message.ts'

/** Leaves URLs to the provider, so that nothing is downloaded. */
class UrlModel extends ScriptedModel {
  override readonly supportedUrls = { '*/*': [/./] }
}

const throughJson = <Data>(data: Data): Data => JSON.parse(JSON.stringify(data))

/** What the AI SDK makes of messages for a provider. Providers read bytes and base64 alike. */
async function promptOf(messages: readonly Message[]): Promise<unknown> {
  const model = new UrlModel(['read'])
  await generateText({ model, messages: messages.map(modelMessage), allowSystemInMessages: true })
  return throughJson(withBase64(model.prompts[0]))
}

function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(withBase64)
  if (value === null || typeof value !== 'object' || value instanceof URL) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withBase64(part)]))
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 9 })
const inline = bytes.chain((data) =>
  fc.constantFrom(
    data,
    Buffer.from(data),
    Uint8Array.from(data).buffer,
    Buffer.from(data).toString('base64'),
    new URL(`data:image/png;base64,${Buffer.from(data).toString('base64')}`),
  ),
)
const url = fc.constant(new URL('https://example.com/a%20b.png?c=d'))
const reference = fc.constant({ example: 'file-1' })
const plainInline = inline.filter((data) => !(data instanceof URL))
const tagged = fc.oneof(
  fc.record({ type: fc.constant('data' as const), data: plainInline }),
  fc.record({ type: fc.constant('url' as const), url }),
  fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('reference' as const), reference }),
)

const text = fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }) })
const file = fc.record({
  type: fc.constant('file'),
  mediaType: fc.constantFrom('image/png', 'image', 'application/pdf'),
  data: fc.oneof(inline, url, reference, tagged),
})
const image = fc.record({ type: fc.constant('image'), image: fc.oneof(inline, url, reference) })
const reasoning = fc.record({ type: fc.constant('reasoning'), text: fc.string({ minLength: 1 }) })
const reasoningFile = fc.record({
  type: fc.constant('reasoning-file'),
  mediaType: fc.constant('image/png'),
  data: fc.oneof(inline, url),
})
const toolCall = { toolCallId: 'call', toolName: 'look' }
const toolResult = fc.record({
  type: fc.constant('tool-result'),
  toolCallId: fc.constant('call'),
  toolName: fc.constant('look'),
  output: fc.oneof(
    fc.record({ type: fc.constant('text'), value: fc.string() }),
    fc.record({
      type: fc.constant('content'),
      value: fc.array(
        fc.oneof(
          text,
          fc.record({ type: fc.constant('file'), mediaType: fc.constant('image/png'), data: tagged }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  ),
})

/** A conversation with every kind of part. */
const conversations = fc
  .record({
    user: fc.array(fc.oneof(text, file, image), { minLength: 1, maxLength: 3 }),
    assistant: fc.array(fc.oneof(text, file, reasoning, reasoningFile), { maxLength: 2 }),
    result: toolResult,
  })
  .map(({ user, assistant, result }) => [
    { role: 'user', content: user },
    { role: 'assistant', content: [...assistant, { type: 'tool-call', ...toolCall, input: { at: 1 } }] },
    { role: 'tool', content: [result] },
  ])

it('a state as JSON leads to the same next prompt, for every kind of part', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, async (conversation) => {
      const given = (conversation as ModelMessage[]).map(
        (message): Message =>
          ({
            ...createMessage({ role: 'user', content: '', source: 'x', origin: 'person' }),
            ...message,
          }) as Message,
      )
      const context = new UnboundedChatCompletionContext()
      for (const message of given) await context.add(message)
      const other = new UnboundedChatCompletionContext()
      await other.loadState(throughJson(await context.saveState()))
      expect(await other.messages()).toEqual(await context.messages())
      expect(await promptOf(await other.messages())).toEqual(await promptOf(given))
    }),
    { numRuns: 30 },
  )
})
