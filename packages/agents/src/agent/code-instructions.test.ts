import { describe, expect, it } from 'vitest'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import { EchoExecutor } from '../reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { speaker } from './agents.fixture.ts'
import { codeWriterMessage } from './code-instructions.ts'

const { capabilities } = new EchoExecutor()

describe('what a writer of code reads about the executor', () => {
  it.each([
    ['its languages', { languages: ['sql'] }, '```sql. Code in other languages does not run', '```python'],
    [
      'that variables stay',
      { stateful: capabilities.languages },
      'Variables, imports, functions and files persist',
      'a separate process',
    ],
    ['that they do not', { stateful: [] }, 'a separate process', 'functions and files persist'],
    ['that there is no network', { network: 'none' as const }, 'there is no network', 'can reach'],
    ['that there is one', { network: 'open' as const }, 'can reach the network', 'there is no network'],
    ['what may be installed', { installablePackages: ['numpy'] }, 'if they are missing: numpy', 'can reach'],
  ])('is %s', (_, changes, said, unsaid) => {
    const message = codeWriterMessage({ ...capabilities, ...changes })
    expect(message).toContain(said)
    expect(message).not.toContain(unsaid)
  })

  it('claims nothing where none is known', () => {
    for (const claim of ['a separate process', 'functions and files persist', 'network', 'installed']) {
      expect(AssistantAgent.defaultSystemMessage).not.toContain(claim)
    }
  })

  it.each([
    ["its partner's", {}, { codeExecutionConfig: { executor: new EchoExecutor() } }, true],
    ['its own', { codeExecutionConfig: { executor: new EchoExecutor() } }, {}, true],
    ['none', {}, {}, false],
    [
      'another text',
      { systemMessage: 'Rhyme.' },
      { codeExecutionConfig: { executor: new EchoExecutor() } },
      false,
    ],
  ])('reaches the model of an AssistantAgent: %s', async (_, own, partner, isTold) => {
    const model = new ScriptedModel(['TERMINATE'])
    const writer = new AssistantAgent({ name: 'writer', model, ...own })
    await speaker('user', [], partner).initiateChat(writer, { message: 'Begin.' })
    expect(JSON.stringify(model.prompts[0]).includes('there is no network')).toBe(isTold)
  })
})
