import { z } from '@fenced/core/zod'
import { generateText, streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import { ScriptedModel } from './scripted-model.ts'

const tools = { add: { inputSchema: z.object({ a: z.number() }) } }
const prompt = 'Begin.'
const once = { prompt, maxRetries: 0 }

async function streamed(model: ScriptedModel, abortSignal?: AbortSignal) {
  const words: string[] = []
  const { stream } = streamText({ ...once, model, ...(abortSignal && { abortSignal }), onError: () => {} })
  const types = new Set<string>()
  for await (const part of stream) {
    types.add(part.type)
    if (part.type === 'text-delta') words.push(part.text)
  }
  return { words, types }
}

describe('a scripted model', () => {
  it('says one answer after the other', async () => {
    const model = new ScriptedModel(['first', 'second'])
    expect((await generateText({ ...once, model })).text).toBe('first')
    expect((await streamed(model)).words).toEqual(['second'])
  })

  it.each(['', ' ', 'one', 'one two  three', '  one\n\ntwo \n', '\n```python\nprint(1)\n```\n'])(
    'says %j, as a whole and word by word',
    async (text) => {
      const model = new ScriptedModel(() => text)
      expect((await generateText({ ...once, model })).text).toBe(text)
      const { words } = await streamed(model)
      expect(words.join('')).toBe(text)
      expect(words.length).toBe(
        Math.max(text.trim() === '' ? text.length : 0, text.split(/\s+/).filter(Boolean).length),
      )
    },
  )

  it('knows how often it was asked, and what', async () => {
    const model = new ScriptedModel(
      async (call, asked) => `${call}: ${JSON.stringify(asked.at(-1)?.content)}`,
    )
    await generateText({ ...once, model })
    const { text } = await generateText({ ...once, model, prompt: 'Again.' })
    expect(text).toMatch(/^1: .*Again\./)
    expect(model.prompts).toHaveLength(2)
  })

  it.each([undefined, 'I will add.'])('calls tools, with %j before', async (text) => {
    const script = [{ text, toolCalls: [1, 2].map((a) => ({ name: 'add', input: { a } })) }]
    const whole = await generateText({
      ...once,
      tools,
      model: new ScriptedModel(script),
    })
    expect(whole.toolCalls).toMatchObject([
      { toolCallId: 'call-1-1', toolName: 'add', input: { a: 1 } },
      { toolCallId: 'call-1-2', toolName: 'add', input: { a: 2 } },
    ])
    expect([whole.finishReason, whole.text]).toEqual(['tool-calls', text ?? ''])
    const live = streamText({ ...once, tools, model: new ScriptedModel(script) })
    expect(await live.toolCalls).toMatchObject([{ input: { a: 1 } }, { input: { a: 2 } }])
    expect(await live.finishReason).toBe('tool-calls')
  })

  it('makes broken calls where the script has them', async () => {
    const model = new ScriptedModel([{ toolCalls: [{ name: 'add', input: '{"a": ' }] }])
    const { toolCalls } = await generateText({ ...once, tools, model })
    expect(toolCalls).toMatchObject([{ toolName: 'add', invalid: true }])
  })

  it('counts words as tokens', async () => {
    const { usage } = await generateText({ ...once, model: new ScriptedModel(['one two three']) })
    expect(usage.outputTokens).toBe(3)
    expect(usage.inputTokens).toBeGreaterThan(0)
  })

  it('fails when its script has ended', async () => {
    const model = new ScriptedModel(['only'])
    await generateText({ ...once, model })
    const asked = generateText({ ...once, model })
    await expect(asked).rejects.toMatchObject({
      code: 'SCRIPT_ENDED',
      data: { count: '1' },
    })
    expect((await streamed(model)).types).toContain('error')
  })

  it('stops between two words when it is aborted', async () => {
    const stop = new AbortController()
    const model = new ScriptedModel(['one two three'], { wordDelayMs: 600_000 })
    const running = streamed(model, stop.signal)
    await microtasks()
    expect(model.prompts).toHaveLength(1)
    stop.abort()
    const { words, types } = await running
    expect(words).toEqual([])
    expect(types).toContain('abort')
  })

  it('says nothing when it is aborted before', async () => {
    const abortSignal = AbortSignal.abort(new Error('too late'))
    const model = new ScriptedModel(['one'])
    await expect(model.doGenerate({ prompt: [], abortSignal })).rejects.toThrow('too late')
    expect(model.prompts).toEqual([])
  })

  it('has the name that it is given', () => {
    expect(new ScriptedModel([]).modelId).toBe('scripted')
    expect(new ScriptedModel([], { modelId: 'small' }).modelId).toBe('small')
  })
})
