import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { ModelClient } from './model-client.ts'

const answer: LanguageModelV4GenerateResult = {
  content: [{ type: 'text', text: 'whole' }],
  finishReason: { unified: 'stop', raw: undefined },
  usage: {
    inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
  warnings: [],
}

const mock = () => new MockLanguageModelV4({ doGenerate: async () => answer })

function withoutMethod(): LanguageModelV4 {
  const { specificationVersion, provider, modelId, supportedUrls } = mock()
  const model = { specificationVersion, provider, modelId, supportedUrls, doGenerate: async () => answer }
  return model as unknown as LanguageModelV4
}

describe('a model that cannot stream', () => {
  it.each([
    ['and says so', mock],
    ['and has no method for it', withoutMethod],
  ])('%s, is asked for its whole answer', async (_, make) => {
    const reply = await new ModelClient({ model: make() }).ask({
      messages: [{ role: 'user', content: 'Hi.' }],
    })
    expect(reply).toMatchObject({ text: 'whole', finishReason: 'stop' })
    const agent = new ConversableAgent({ name: 'a', model: make() })
    const said = await agent.generateReply({ messages: [{ role: 'user', content: 'Hi.' }] })
    expect([said?.content, agent.usage.inputTokens]).toEqual(['whole', 3])
  })

  it('is not asked again where its stream fails', async () => {
    let calls = 0
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        calls++
        return answer
      },
      doStream: async () => {
        throw new Error('out of order')
      },
    })
    const asking = new ModelClient({ model }).ask({ messages: [{ role: 'user', content: 'Hi.' }] })
    await expect(asking).rejects.toMatchObject({ code: 'MODEL_FAILED' })
    expect(calls).toBe(0)
  })
})
