import { FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  contentsOf,
  endless,
  eventsOf,
  eventsOfType,
  historyOf,
  speaker,
} from '../../src/agent/agents.fixture.ts'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { type Message, type MessageDraft, textOf } from '../../src/message/message.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

const user = (content: string): MessageDraft => ({ role: 'user', content })
const program = (code: string) => fence('python', code)

describe('D-02', () => {
  it('D-02: whoever began says nothing more when the recipient has ended it', async () => {
    const executor = new EchoExecutor()
    const a = speaker('a', endless('never said'), { codeExecutionConfig: { executor, lastNMessages: 10 } })
    for (const last of [null, 'TERMINATE']) {
      const { messages } = await a.initiateChat(speaker('b', [last]), {
        message: program('mine'),
        maxTurns: 3,
      })
      expect(contentsOf(messages)).toEqual(last === null ? [program('mine')] : [program('mine'), 'TERMINATE'])
    }
    expect(executor.ran).toEqual([])
  })
})

describe('P-31, D-02: lastNMessages', () => {
  it('P-31: 0 searches nothing', async () => {
    const executor = new EchoExecutor()
    const agent = speaker('a', ['as it is'], { codeExecutionConfig: { executor, lastNMessages: 0 } })
    const messages = [user(program('a')), user(program('b'))]
    expect((await agent.generateReply({ messages }))?.content).toBe('as it is')
    expect(executor.ran).toEqual([])
  })

  it('P-31: "auto" searches nothing when the agent itself spoke last', async () => {
    const executor = new EchoExecutor()
    const agent = speaker('a', ['as it is'], { codeExecutionConfig: { executor } })
    const messages = [user(program('a')), { role: 'assistant' as const, content: program('b') }]
    expect((await agent.generateReply({ messages }))?.content).toBe('as it is')
    expect(executor.ran).toEqual([])
  })
})

describe('D-38', () => {
  it('D-38: arguments of one summary are not those of the next', async () => {
    const model = new ScriptedModel(() => 'summed up')
    const a = speaker('a', [], { model })
    const options = { message: 'begin', summaryMethod: 'reflection_with_llm' } as const
    const summaryArgs = { summaryPrompt: 'In one word.' }
    await a.initiateChat(speaker('b'), { ...options, summaryArgs })
    await a.initiateChat(speaker('b'), options)
    const asked = model.prompts.map((prompt) => JSON.stringify(prompt).includes('In one word.'))
    expect(asked).toEqual([true, false])
    expect(summaryArgs).toEqual({ summaryPrompt: 'In one word.' })
  })

  it('D-38: a summary keeps TERMINATE within sentences and words', async () => {
    const last = 'UNTERMINATED lines TERMINATE the parser.\nTERMINATE'
    const { summary } = await speaker('a').initiateChat(speaker('b', [last]), { message: 'begin' })
    expect(summary).toBe('UNTERMINATED lines TERMINATE the parser.')
  })

  it('D-38: an unknown tool is an answer, and taking one away that is not there does nothing', async () => {
    const agent = new ConversableAgent({ name: 'a' })
    const response = await agent.executeTool({ id: '1', name: 'unknown', input: {} })
    expect(response).toEqual({
      toolCallId: '1',
      name: 'unknown',
      content: 'Error: Function unknown not found.',
      isError: true,
    })
    expect(() => agent.unregisterTool('unknown')).not.toThrow()
  })

  it('D-38: a short history is cleared without an error', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    a.clearHistory(b, { preserve: 3 })
    await a.send('hello', b)
    a.clearHistory(undefined, { preserve: 3 })
    expect(contentsOf(historyOf(a, b))).toEqual(['hello'])
  })

  it('D-38: hooks leave the history as it was', async () => {
    const [a, b] = [speaker('a'), speaker('b', ['answer'])]
    b.registerHook('processLastReceivedMessage', (content) => `${content} (changed)`)
    b.registerHook('processAllMessagesBeforeReply', (messages) =>
      messages.map((one) => ({ ...one, content: 'x' })),
    )
    await a.initiateChat(b, { message: 'begin' })
    expect(contentsOf(historyOf(b, a))).toEqual(['begin', 'answer'])
  })

  it('D-38: hooks are called in one order, functions with and without promises alike', async () => {
    for (const isAsync of [false, true]) {
      const order: string[] = []
      const agent = speaker('a', ['x'])
      const noting =
        (name: string) =>
        <Value>(value: Value) => {
          order.push(name)
          return (isAsync ? Promise.resolve(value) : value) as Value
        }
      agent.registerHook('processAllMessagesBeforeReply', noting('all'))
      agent.registerHook('processLastReceivedMessage', noting('last'))
      await agent.generateReply({ messages: [user('hello')] })
      expect(order).toEqual(['last', 'all'])
    }
  })

  it('D-38: the metadata of a message stays with it', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    const message = { content: 'begin', metadata: { key: [1, 2] } }
    await a.initiateChat(b, { message })
    expect([historyOf(a, b)[0]?.metadata, historyOf(b, a)[0]?.metadata]).toEqual([
      message.metadata,
      message.metadata,
    ])
    expect(message).toEqual({ content: 'begin', metadata: { key: [1, 2] } })
  })

  it('D-38: how many messages are searched is not forgotten when code could not be run', async () => {
    const executor = new EchoExecutor()
    const agent = speaker('a', endless('as it is'), { codeExecutionConfig: { executor, lastNMessages: 1 } })
    await agent.generateReply({ messages: [user(program('broken'))] })
    await agent.generateReply({ messages: [user(program('too old')), user('words')] })
    expect(executor.ran).toEqual(['broken'])
  })

  it('D-38: usage and the model stay when tools come and go', async () => {
    const model = new ScriptedModel(() => 'two words')
    const agent = new ConversableAgent({ name: 'a', model })
    const tool = { name: 'add', inputSchema: z.object({}), execute: () => 1 }
    for (const change of [() => {}, () => agent.registerForModel(tool), () => agent.unregisterTool('add')]) {
      change()
      await agent.generateReply({ messages: [user('hello')] })
    }
    expect([model.prompts.length, agent.usage.outputTokens]).toEqual([3, 6])
  })

  it.each(['TERMINATE\n', 'TERMINATE.', ' TERMINATE ', 'All is done.\nTERMINATE'])(
    'D-38: %j ends it',
    async (last) => {
      const { messages } = await speaker('a').initiateChat(speaker('b', endless('more')), {
        message: last,
      })
      expect(messages).toHaveLength(1)
    },
  )

  it('D-38: a conversation that failed leaves both agents as they were', async () => {
    const [a, b] = [speaker('a'), speaker('b', [null])]
    const failing = speaker('c', () => Promise.reject(new Error('broken')))
    await expect(a.initiateChat(failing, { message: 'begin' })).rejects.toThrow('broken')
    await expect(a.initiateChat(failing, { message: 'begin' })).rejects.toThrow('broken')
    expect((await a.initiateChat(b, { message: 'begin' })).status).toBe('done')
  })
})

describe('D-45', () => {
  it('D-45 a: code in a message that ends the conversation is run first, and then it ends', async () => {
    for (const isTermination of [undefined, (message: Message) => textOf(message).includes('TERMINATE')]) {
      const executor = new EchoExecutor()
      const runner = speaker('runner', [], { codeExecutionConfig: { executor }, isTermination })
      const writer = speaker('writer', endless('You are welcome!'))
      const message = `${program('last')}\n\nTERMINATE`
      const { messages, stopReason } = await writer.initiateChat(runner, { message })
      expect(contentsOf(messages)).toEqual([
        message,
        'exitcode: 0 (execution succeeded)\nCode output: \nlast\n',
      ])
      expect(stopReason).toBe('writer sent a message that ends it.')
    }
  })

  it('D-45 a: a failure of that code ends it as well', async () => {
    const runner = speaker('runner', [], { codeExecutionConfig: { executor: new EchoExecutor() } })
    const { messages } = await speaker('writer', endless('Sorry!')).initiateChat(runner, {
      message: `${program('fail')}\nTERMINATE`,
    })
    expect(contentsOf(messages)[1]).toContain('exitcode: 3 (execution failed)')
    expect(messages).toHaveLength(2)
  })

  it('D-45 a: with runBeforeTermination: false it ends at once', async () => {
    const executor = new EchoExecutor()
    const runner = speaker('runner', [], { codeExecutionConfig: { executor, runBeforeTermination: false } })
    const message = `${program('last')}\nTERMINATE`
    const { messages } = await speaker('writer').initiateChat(runner, { message })
    expect([messages.length, executor.ran]).toEqual([1, []])
  })

  it('D-45 b: text that is only quoted is not run', ({ everyRow }) =>
    everyRow(
      [
        ['a README', 'readme.md', '# Title\n\n    pip install it'],
        ['Markdown', 'markdown', '# Title\n\n~~~python\nprint(1)\n~~~'],
        ['a Dockerfile', 'dockerfile', 'FROM python\nRUN rm -rf /'],
        ['a diff', 'diff', '- print(1)\n+ print(2)'],
        ['JSON', 'json', '{"a": 1}'],
        ['YAML', 'yaml', 'a: 1'],
        ['an output', 'output', 'Traceback'],
        ['a console', 'console', '$ ls'],
      ],
      async (_, label, code) => {
        const executor = new EchoExecutor()
        const runner = speaker('runner', ['fine'], { codeExecutionConfig: { executor } })
        await runner.generateReply({ messages: [user(`Look at this:\n\n${fence(label, code)}`)] })
        expect(executor.ran).toEqual([])
      },
    ))
})

describe('D-46', () => {
  it('D-46: an executor that fails in the middle is a result, and the conversation goes on', async () => {
    const runner = speaker('runner', endless('as it is'), {
      codeExecutionConfig: { executor: new EchoExecutor() },
    })
    const writer = speaker('writer', [program('second'), null])
    const chat = writer.initiateChat(runner, { message: `${program('first')}\n\n${program('broken')}` })
    const events = await eventsOf(chat)
    const [, failed, , succeeded] = contentsOf((await chat).messages)
    expect(failed).toMatch(/^exitcode: \d+ \(execution failed\)\nCode output: \nfirst\nso far so good\n/)
    expect(succeeded).toBe('exitcode: 0 (execution succeeded)\nCode output: \nsecond\n')
    const notices = eventsOfType(events, 'notice')
    expect(notices).toMatchObject([
      { agent: 'runner', notice: { code: 'DRIVER_FAILED', data: { reason: 'the executor is gone' } } },
    ])
    expect(failed).toContain(`The code could not be run: ${notices[0]?.notice.message}`)
  })

  it.each<[string, unknown, string, object]>([
    [
      'a FencedError',
      new FencedError({ code: 'NO_ENGINE', message: 'boom', data: { engine: 'podman' } }),
      'NO_ENGINE',
      { engine: 'podman' },
    ],
    ['any error', new Error('boom'), 'EXECUTOR_FAILED', { reason: 'boom' }],
    ['a text', 'boom', 'EXECUTOR_FAILED', { reason: 'boom' }],
  ])('D-46: an executor that throws %s at once is one as well', async (_, error, code, data) => {
    const executor = new EchoExecutor()
    executor.execute = () => {
      throw error
    }
    const runner = speaker('runner', [], { codeExecutionConfig: { executor } })
    const chat = speaker('writer', ['never mind']).initiateChat(runner, {
      message: program('x'),
      maxTurns: 1,
    })
    const events = await eventsOf(chat)
    const said = (await chat).messages[1]?.content
    expect(said).toBe('exitcode: 1 (execution failed)\nCode output: \nThe code could not be run: boom\n')
    expect(eventsOfType(events, 'notice')).toMatchObject([
      { type: 'notice', agent: 'runner', notice: { code, data } },
    ])
  })
})
