import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMessage, type MessageDraft } from '../message/message.ts'
import { answering, asking, plain } from '../message/messages.fixture.ts'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from '../model-context/contexts.ts'
import {
  ExternalTermination,
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  MaxMessageTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from '../termination/conditions.ts'
import {
  AndTerminationCondition,
  OrTerminationCondition,
  type Termination,
} from '../termination/termination.ts'
import { eventOf } from '../termination/watch.fixture.ts'
import { count, type EveryOption, lostIn, throughJson, word, words } from './configuration.fixture.ts'
import { loadComponent } from './load-component.ts'

type OptionsOf<Class> = Class extends new (options: infer Options) => unknown ? NonNullable<Options> : never

const text = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: word,
    source: word,
    metadata: fc.constant({ page: 7 }),
  },
  { requiredKeys: ['role', 'content'] },
)
const ofTools = fc
  .tuple(word, word, word)
  .chain(([id, name, content]) =>
    fc.constantFrom(
      asking(content, { id, name, input: { a: [1] } }),
      answering({ toolCallId: id, name, content }),
    ),
  )
const message: fc.Arbitrary<MessageDraft> = fc.oneof(text, ofTools)
const initialMessages = fc.array(message, { maxLength: 4 })
const size = fc.integer({ min: 1, max: 4 })

const buffered: EveryOption<OptionsOf<typeof BufferedChatCompletionContext>> = {
  bufferSize: size,
  initialMessages,
}
const headAndTail: EveryOption<OptionsOf<typeof HeadAndTailChatCompletionContext>> = {
  headSize: size,
  tailSize: size,
  initialMessages,
}
const tokenLimited: EveryOption<OptionsOf<typeof TokenLimitedChatCompletionContext>> = {
  tokenLimit: count,
  countTokens: fc.constant(undefined),
  initialMessages,
}

const context = fc.oneof(
  fc
    .record({ initialMessages }, { requiredKeys: [] })
    .map((options) => new UnboundedChatCompletionContext(options)),
  fc
    .record(buffered, { requiredKeys: ['bufferSize'] })
    .map((options) => new BufferedChatCompletionContext(options)),
  fc
    .record(headAndTail, { requiredKeys: ['headSize', 'tailSize'] })
    .map((options) => new HeadAndTailChatCompletionContext(options)),
  fc
    .record(tokenLimited, { requiredKeys: ['tokenLimit'] })
    .map((options) => new TokenLimitedChatCompletionContext(options)),
)

const maxMessages: EveryOption<OptionsOf<typeof MaxMessageTermination>> = {
  maxMessages: size,
  includeAgentEvents: fc.boolean(),
}
const textMention: EveryOption<OptionsOf<typeof TextMentionTermination>> = {
  text: word,
  sources: words,
  includeTask: fc.boolean(),
}
const tokens: EveryOption<OptionsOf<typeof TokenUsageTermination>> = {
  maxTotalTokens: count,
  maxInputTokens: count,
  maxOutputTokens: count,
}

const simple: fc.Arbitrary<Termination> = fc.oneof(
  fc
    .record(maxMessages, { requiredKeys: ['maxMessages'] })
    .map((options) => new MaxMessageTermination(options)),
  fc.record(textMention, { requiredKeys: ['text'] }).map((options) => new TextMentionTermination(options)),
  fc.record({ source: word }, { requiredKeys: [] }).map((options) => new TextMessageTermination(options)),
  fc.constant(new StopMessageTermination()),
  fc.constant(new ExternalTermination()),
  fc
    .record(tokens, { requiredKeys: [] })
    .filter((limits) => Object.keys(limits).length > 0)
    .map((options) => new TokenUsageTermination(options)),
  count.map((timeoutMs) => new TimeoutTermination({ timeoutMs })),
  fc.array(word, { minLength: 1 }).map((sources) => new SourceMatchTermination({ sources })),
  word.map((functionName) => new FunctionCallTermination({ functionName })),
  word.map((target) => new HandoffTermination({ target })),
)
const { termination } = fc.letrec<{ termination: Termination }>((tie) => ({
  termination: fc.oneof(
    { maxDepth: 4 },
    simple,
    fc.tuple(tie('termination'), tie('termination')).map(([one, other]) => one.and(other)),
    fc.tuple(tie('termination'), tie('termination')).map(([one, other]) => one.or(other)),
  ),
}))

const heard = ['one', 'two', 'stop'].map((content) =>
  createMessage({ role: 'user', source: 'ann', origin: 'model', content }),
)

/** What it was made of, without our own count of tokens. */
function dataOf(component: object): object {
  const { options = {} } = component as { options?: object }
  return { ...options, countTokens: undefined }
}

/** After how many messages it says what. */
async function ends(condition: Termination): Promise<unknown> {
  const over = new AbortController()
  const check = condition.begin({ task: [], signal: over.signal, stop: () => {} })
  try {
    for (const [index, message] of heard.entries()) {
      const reason = await check([eventOf(message)])
      if (reason !== undefined) return [index, reason]
    }
    return 'not at all'
  } finally {
    over.abort()
  }
}

describe('the config of a model context', () => {
  it('makes the same context again, whatever its options are', async () => {
    await fc.assert(
      fc.asyncProperty(context, async (made) => {
        const loaded = loadComponent(throughJson(made.toConfig())) as typeof made
        expect(loaded.constructor).toBe(made.constructor)
        expect(loaded.toConfig()).toEqual(made.toConfig())
        expect(lostIn(made.toConfig(), dataOf(made))).toEqual([])
        expect(plain(await loaded.messages())).toEqual(plain(await made.messages()))
      }),
    )
  })

  it('has nothing of what is kept in it', async () => {
    const kept = new UnboundedChatCompletionContext()
    await kept.add(createMessage({ role: 'user', source: 'a', origin: 'model', content: 'between us' }))
    expect(JSON.stringify(kept.toConfig())).not.toContain('between us')
  })

  it('needs the function again that counts tokens', async () => {
    const countTokens = (text: string) => text.length
    const context = new TokenLimitedChatCompletionContext({ tokenLimit: 9, countTokens })
    expect(() => context.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'countTokens', provider: 'TokenLimitedChatCompletionContext' },
      }),
    )
    const loaded = loadComponent(context.toConfig({ omit: ['countTokens'] }), {
      overrides: { countTokens },
      expect: TokenLimitedChatCompletionContext,
    })
    expect(loaded.options.countTokens).toBe(countTokens)
  })
})

describe('the config of a termination condition', () => {
  // A deadline of a few milliseconds is met when the test says so.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('makes the same condition again, also of conditions in conditions', async () => {
    await fc.assert(
      fc.asyncProperty(termination, async (made) => {
        const loaded = loadComponent(throughJson(made.toConfig())) as Termination
        expect(loaded.constructor).toBe(made.constructor)
        expect(loaded.toConfig()).toEqual(made.toConfig())
        expect(lostIn(made.toConfig(), dataOf(made))).toEqual([])
        expect(await ends(loaded)).toEqual(await ends(made))
      }),
    )
  })

  it('names each kind by its class', () => {
    const both = new StopMessageTermination().and(new MaxMessageTermination({ maxMessages: 3 }))
    expect(both.or(new ExternalTermination()).toConfig()).toEqual({
      provider: 'OrTerminationCondition',
      version: 1,
      config: {
        conditions: [
          {
            provider: 'AndTerminationCondition',
            version: 1,
            config: {
              conditions: [
                { provider: 'StopMessageTermination', version: 1, config: {} },
                {
                  provider: 'MaxMessageTermination',
                  version: 1,
                  config: { maxMessages: 3, includeAgentEvents: false },
                },
              ],
            },
          },
          { provider: 'ExternalTermination', version: 1, config: {} },
        ],
      },
    })
    expect([AndTerminationCondition.provider, OrTerminationCondition.provider]).toEqual([
      'AndTerminationCondition',
      'OrTerminationCondition',
    ])
  })

  it('needs the function again that decides', async () => {
    const isMet = () => true
    const condition = new StopMessageTermination().or(new FunctionalTermination({ isMet, reason: 'enough' }))
    expect(() => condition.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'conditions.1.isMet', provider: 'FunctionalTermination' },
      }),
    )
    const config = throughJson(condition.toConfig({ omit: ['conditions.1.isMet'] }))
    const overrides = { 'conditions.1.isMet': isMet }
    expect(await ends(loadComponent(config, { overrides, expect: OrTerminationCondition }))).toEqual([
      0,
      'enough',
    ])
  })

  it('is a long chain where many are combined', () => {
    let chain: Termination = new StopMessageTermination()
    for (let links = 0; links < 100; links++) chain = chain.or(new StopMessageTermination())
    expect((loadComponent(throughJson(chain.toConfig())) as Termination).toConfig()).toEqual(chain.toConfig())
  })
})
