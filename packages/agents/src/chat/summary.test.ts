import { describe, expect, it } from 'vitest'
import type { SummaryContext } from '../agent/agent.ts'
import { codeOf, contentsOf, eventsOf, speaker, typesOf } from '../agent/agents.fixture.ts'
import { textOf } from '../message/message.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

describe('last_msg', () => {
  it.each([
    ['It is 4.', 'It is 4.'],
    ['It is 4.\nTERMINATE', 'It is 4.'],
    ['TERMINATE', ''],
    ['The TERMINATE of DETERMINATES\n\n**TERMINATE**', 'The TERMINATE of DETERMINATES'],
    ['Say TERMINATE to end it.', 'Say TERMINATE to end it.'],
  ])('of %j is %j', async (last, summary) => {
    const result = await speaker('a').initiateChat(speaker('b', [last]), { message: 'begin' })
    expect(result.summary).toBe(summary)
  })

  it('is the last message, also of the one who began', async () => {
    const result = await speaker('a', ['good-bye']).initiateChat(speaker('b', ['hello']), {
      message: 'begin',
    })
    expect(result.summary).toBe('good-bye')
  })
})

describe('reflection_with_llm', () => {
  const reflecting = { message: 'begin', summaryMethod: 'reflection_with_llm' } as const
  const promptOf = (model: ScriptedModel) => JSON.stringify(model.prompts.at(-1))

  it('is what the model of the recipient says about all that was said', async () => {
    const model = new ScriptedModel(['We agreed.'])
    const b = speaker('b', [], { model })
    b.registerReply(
      () => true,
      ({ messages }) => ({ reply: messages.length === 1 ? 'so be it' : null }),
    )
    const chat = speaker('a').initiateChat(b, reflecting)
    const events = await eventsOf(chat)
    const result = await chat
    expect(result.summary).toBe('We agreed.')
    expect(model.prompts).toHaveLength(1)
    for (const text of ['begin', 'so be it', 'what came of this conversation']) {
      expect(promptOf(model)).toContain(text)
    }
    expect(contentsOf(result.messages)).toEqual(['begin', 'so be it'])
    expect(result.usage.byModel).toHaveProperty('scripted')
    const types = typesOf(events)
    expect(types.indexOf('text-delta')).toBeGreaterThan(types.indexOf('termination'))
    expect(b.usage).toEqual(result.usage)
  })

  it('is what the model of the one who began says where the recipient has none', async () => {
    const model = new ScriptedModel(['We agreed.'])
    const a = speaker('a', [], { model })
    expect((await a.initiateChat(speaker('b'), reflecting)).summary).toBe('We agreed.')
  })

  it('is asked for in words of your own', async () => {
    const model = new ScriptedModel(['Vier.'])
    const a = speaker('a', [], { model })
    for (const summaryRole of [undefined, 'user', 'system'] as const) {
      const once = new ScriptedModel(['Vier.'])
      const asking = speaker('a', [], { model: once })
      const summaryArgs = { summaryPrompt: 'Auf Deutsch, bitte.', summaryRole }
      expect((await asking.initiateChat(speaker('b'), { ...reflecting, summaryArgs })).summary).toBe('Vier.')
      expect(promptOf(once)).toContain('Auf Deutsch, bitte.')
    }
    await a.initiateChat(speaker('b'), reflecting)
    expect(promptOf(model)).not.toContain('Auf Deutsch')
  })

  it('is refused before the first word where nobody has a model', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    const chat = a.initiateChat(b, reflecting)
    expect(await codeOf(() => chat)).toBe('INVALID_OPTIONS')
    expect([...b.chatMessages.keys()]).toEqual([])
  })

  it('of a conversation that is aborted meanwhile is empty, and the rest is there', async () => {
    const stop = new AbortController()
    const model = new ScriptedModel(['one two three'], { wordDelayMs: 60_000 })
    const chat = speaker('a').initiateChat(speaker('b', ['hello'], { model: undefined }), {
      message: 'begin',
      signal: stop.signal,
      summaryMethod: async ({ signal }) => {
        const reply = speaker('c', [], { model }).generateReply({
          messages: [{ role: 'user', content: 'sum it up' }],
          signal,
        })
        stop.abort()
        const message = await reply
        return message === null ? '' : textOf(message)
      },
    })
    const { status, summary, messages } = await chat
    expect([status, summary, contentsOf(messages)]).toEqual(['cancelled', '', ['begin', 'hello']])
  })
})

describe('a function', () => {
  it('sums up what the recipient has kept', async () => {
    const seen: SummaryContext[] = []
    const [a, b] = [speaker('a'), speaker('b', ['hello'])]
    const result = await a.initiateChat(b, {
      message: 'begin',
      summaryMethod: async (context) => {
        seen.push(context)
        return `${context.messages.length} messages`
      },
    })
    expect(result.summary).toBe('2 messages')
    expect(seen).toMatchObject([
      {
        sender: a,
        recipient: b,
        messages: [
          { role: 'user', content: 'begin', source: 'a' },
          { role: 'assistant', content: 'hello', source: 'b' },
        ],
        signal: expect.any(AbortSignal),
      },
    ])
  })

  it('fails the conversation when it fails', async () => {
    const summaryMethod = () => {
      throw new Error('nothing to say')
    }
    const chat = speaker('a').initiateChat(speaker('b'), { message: 'begin', summaryMethod })
    await expect(chat).rejects.toThrow('nothing to say')
  })
})
