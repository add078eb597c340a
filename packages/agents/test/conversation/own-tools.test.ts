import {
  ApprovalQueue,
  type CodeApprovalRequest,
  codeExecutionTool,
  type ToolApprovalRequest,
} from '@fenced/core'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contentsOf, eventsOf, eventsOfType, historyOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../../src/conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { itemsOf } from '../../src/team/test-agent.fixture.ts'
import { type ScriptedAnswer, ScriptedModel } from '../../src/testing/scripted-model.ts'

const seen: unknown[] = []
const tools = {
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }, { messages, experimental_sandbox }) => {
      seen.push(messages, experimental_sandbox)
      return a + b
    },
  }),
  remove: tool({
    inputSchema: z.object({}),
    needsApproval: true,
    execute: () => 'removed',
  }),
}

const calls = (name: string, input: object = {}): ScriptedAnswer => ({
  text: `I call ${name}.`,
  toolCalls: [{ name, input }],
})
const sum = calls('add', { a: 1, b: 2 })

describe('tools that an agent is made with', () => {
  it('are called by the agent itself, before it replies', async () => {
    const sandbox = { run: async () => ({}) } as never
    const model = new ScriptedModel([sum, 'It is 3.\nTERMINATE'])
    const assistant = new AssistantAgent({ name: 'assistant', model, tools, sandbox })
    const user = speaker('user')
    seen.length = 0
    const events = await eventsOf(user.initiateChat(assistant, { message: '1 + 2?' }))
    expect(contentsOf(historyOf(user, assistant))).toEqual(['1 + 2?', 'It is 3.\nTERMINATE'])
    expect(historyOf(assistant, user).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(eventsOfType(events, 'tool-calls').map(({ content }) => content)).toEqual(['I call add.'])
    expect(eventsOfType(events, 'tool-results').map(({ results }) => results[0]?.content)).toEqual(['3'])
    expect(eventsOfType(events, 'tool-end')).toHaveLength(1)
    expect(seen).toEqual([[{ role: 'user', content: '1 + 2?' }], sandbox])
    expect(model.prompts[1]?.at(-1)).toMatchObject({ role: 'tool', content: [{ toolName: 'add' }] })
  })

  it('get arguments that their schema has transformed once, and a person sees the same', async () => {
    const paid: number[] = []
    const pay = tool({
      inputSchema: z.object({ amount: z.number().transform((dollars) => dollars * 100) }),
      execute: ({ amount }) => paid.push(amount),
    })
    const asked: unknown[] = []
    const approveTool = ({ input }: ToolApprovalRequest) => {
      asked.push(input)
      return { decision: 'allow' as const }
    }
    const model = new ScriptedModel([calls('pay', { amount: 3 }), 'Paid.\nTERMINATE'])
    const assistant = new AssistantAgent({
      name: 'assistant',
      model,
      tools: { pay },
      ask: { tool: approveTool },
    })
    const user = speaker('user')
    await user.initiateChat(assistant, { message: 'Pay 3 dollars.' })
    expect(paid).toEqual([300])
    expect(asked).toEqual([{ amount: 300 }])
    expect(JSON.stringify(model.prompts[1])).toContain('{"amount":3}')
  })

  it('that run programs show a person the program without the fence that the model wrote around it', async () => {
    const code = 'print(6 * 7)'
    const asked: unknown[] = []
    const approve = ({ input }: ToolApprovalRequest) => {
      asked.push(input)
      return { decision: 'allow' as const }
    }
    const executor = new EchoExecutor()
    const model = new ScriptedModel([calls('run', { code: fence('python', code) }), 'Done.\nTERMINATE'])
    const tools = { run: codeExecutionTool(executor, { ask: { code: approveCode } }) }
    const assistant = new AssistantAgent({ name: 'assistant', model, tools, ask: { tool: approve } })
    await speaker('user').initiateChat(assistant, { message: 'Run it.' })
    function approveCode({ blocks }: CodeApprovalRequest) {
      asked.push(blocks.map((block) => block.code))
      return 'allow' as const
    }
    expect(asked).toEqual([{ code }, [code]])
  })

  it('may transform arguments to another type, and answer with what cannot be a text', async () => {
    const flag = tool({
      inputSchema: z.object({ on: z.string().transform((text) => BigInt(text)) }),
      execute: ({ on }): string => {
        throw Object.assign(Object.create(null), { on })
      },
    })
    const model = new ScriptedModel([calls('flag', { on: '7' }), 'Done.\nTERMINATE'])
    const assistant = new AssistantAgent({ name: 'assistant', model, tools: { flag } })
    const user = speaker('user')
    const events = await eventsOf(user.initiateChat(assistant, { message: 'Set it.' }))
    expect(eventsOfType(events, 'tool-results')[0]?.results[0]?.content).toBe('Error: an unknown error')
  })

  it('are called in a team, with the events of AutoGen 0.4', async () => {
    for (const member of [
      asChatAgent(new AssistantAgent({ name: 'member', model: new ScriptedModel([sum, 'It is 3.']), tools })),
      new CodeExecutorAgent({
        name: 'member',
        executor: new EchoExecutor(),
        model: new ScriptedModel([sum, 'It is 3.']),
        tools,
      }),
    ]) {
      const team = new RoundRobinGroupChat({ participants: [member], maxTurns: 1 })
      const { events, text } = await team.run('1 + 2?')
      expect(events.map(({ type }) => type)).toEqual([
        'task-start',
        'message',
        'usage',
        'tool-calls',
        'tool-start',
        'tool-end',
        'tool-results',
        'usage',
        'message',
      ])
      expect(text).toBe('It is 3.')
    }
  })

  it('go before the program of an agent that runs code, and stay in its state', async () => {
    const executor = new EchoExecutor()
    const model = new ScriptedModel([sum, `${fence('python', '3')}`, 'It is 3.'])
    const coder = new CodeExecutorAgent({ name: 'coder', executor, model, tools })
    await coder.run('Print 1 + 2.')
    expect(executor.ran).toEqual(['3'])
    const state = JSON.parse(JSON.stringify(await coder.saveState()))
    const again = new ScriptedModel(['As I said.'])
    const other = new CodeExecutorAgent({ name: 'coder', executor, model: again, tools })
    await other.loadState(state)
    await other.run('Once more.')
    expect(JSON.stringify(again.prompts[0])).toContain('"toolName":"add"')
  })

  it('are not called for ever', async () => {
    const model = new ScriptedModel(() => sum)
    const assistant = new AssistantAgent({ name: 'assistant', model, tools, maxToolIterations: 3 })
    const user = speaker('user')
    await user.initiateChat(assistant, { message: '1 + 2?', maxTurns: 1 })
    expect(user.lastMessage(assistant)?.content).toMatch(/^I call add\.\n\nThe tools were called 3 times/)
    expect(model.prompts).toHaveLength(4)
    const coder = new CodeExecutorAgent({
      name: 'coder',
      executor: new EchoExecutor(),
      model: new ScriptedModel(() => sum),
      tools,
      maxToolIterations: 2,
    })
    expect((await coder.run('1 + 2?')).text).toContain('The tools were called 2 times')
  })

  it('leave those without `execute` to the partner, and say of one that is not there that it is not', async () => {
    const { execute: _, ...declared } = tools.add
    const model = new ScriptedModel([calls('subtract'), sum, 'It is 3.\nTERMINATE'])
    const assistant = new AssistantAgent({
      name: 'assistant',
      model,
      tools: { add: declared, remove: tools.remove },
    })
    const user = speaker('user')
    user.registerForExecution({ name: 'add', ...tools.add, execute: () => 3 })
    await user.initiateChat(assistant, { message: '1 + 2?' })
    expect(contentsOf(historyOf(assistant, user))[2]).toBe('Error: Function subtract not found.')
    expect(historyOf(user, assistant).map(({ role }) => role)).toEqual([
      'assistant',
      'assistant',
      'tool',
      'user',
    ])
  })

  it('refuse a name that no provider takes', () => {
    const named = () => new AssistantAgent({ name: 'a', tools: { 'add numbers': tools.add } })
    expect(named).toThrow(expect.objectContaining({ code: 'INVALID_TOOL', data: { tool: 'add numbers' } }))
    const without = () =>
      new CodeExecutorAgent({ name: 'a', executor: new EchoExecutor(), tools: { add: tools.add } })
    expect(without).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'tools' } }))
  })
})

describe('a tool that needs an approval', () => {
  const removing = (options: object) => {
    const model = new ScriptedModel([calls('remove'), 'So be it.\nTERMINATE'])
    const assistant = new AssistantAgent({ name: 'assistant', model, tools, ...options })
    const user = speaker('user')
    return user
      .initiateChat(assistant, { message: 'Remove it.' })
      .then(() => contentsOf(historyOf(assistant, user))[2])
  }

  it('is asked about in events, with an id and choices, by agents of both families', async () => {
    const approveTool = () => ({ decision: 'deny', reason: 'it is needed' }) as const
    const made = () => ({
      name: 'assistant',
      model: new ScriptedModel([calls('remove'), 'So be it.\nTERMINATE']),
      tools,
      ask: { tool: approveTool },
    })
    const coder = new CodeExecutorAgent({ ...made(), executor: new EchoExecutor() })
    for (const run of [
      speaker('user').initiateChat(new AssistantAgent(made()), { message: 'Remove it.' }),
      coder.run('Remove it.'),
    ]) {
      const events = await itemsOf(run)
      const [requested] = eventsOfType(events, 'approval-requested')
      expect(requested).toMatchObject({
        agent: 'assistant',
        request: { kind: 'tool', tool: 'remove', id: expect.any(String) },
        choices: [{ decision: 'allow' }, { decision: 'deny' }],
      })
      expect(eventsOfType(events, 'approval-answered')).toMatchObject([
        {
          requestId: requested?.request.id,
          answer: { decision: 'deny', reason: 'it is needed' },
          remembered: false,
        },
      ])
    }
  })

  it('is not called where nobody can be asked', async () => {
    expect(await removing({})).toContain('denied: it needs an approval')
  })

  it('is called, or denied, as the answer says', async () => {
    const asked: ToolApprovalRequest[] = []
    const approveTool = (request: ToolApprovalRequest) => {
      asked.push(request)
      return { decision: 'allow' as const }
    }
    expect(await removing({ ask: { tool: approveTool } })).toBe('removed')
    expect(asked).toMatchObject([{ kind: 'tool', tool: 'remove', input: {} }])
    const deny = () => ({ decision: 'deny' as const, reason: 'it is needed' })
    expect(await removing({ ask: { tool: deny } })).toContain('denied: it is needed')
    for (const broken of [
      () => {
        throw new Error('no terminal')
      },
      () => Promise.reject(new Error('no terminal')),
      ...[undefined, {}, { decision: 'deny' }, { decision: 'edit' }, 'yes', true].map(
        (answer) => () => answer,
      ),
    ]) {
      expect(await removing({ ask: { tool: broken } })).toMatch(/denied: \S/)
    }
  })

  it('is asked about in the queue of all questions, one after the other', async () => {
    const questions = new ApprovalQueue()
    const model = new ScriptedModel([
      { toolCalls: [1, 2].map(() => ({ name: 'remove', input: {} })) },
      'Done.',
    ])
    const coder = new CodeExecutorAgent({
      name: 'coder',
      executor: new EchoExecutor(),
      model,
      tools,
      ask: { tool: questions.ask },
    })
    const run = coder.run('Remove them.')
    for (const decision of ['allow', 'deny'] as const) {
      await expect.poll(() => questions.pending.length).toBe(1)
      const id = questions.pending[0]?.id ?? ''
      questions.answer(id, decision === 'allow' ? { decision } : { decision, reason: 'no' })
    }
    const { events } = await run
    expect(events.find(({ type }) => type === 'tool-results')).toMatchObject({
      results: [{ content: 'removed' }, { content: expect.stringContaining('denied: no') }],
    })
  })
})

describe('`approve` of an agent that runs code', () => {
  it('is asked before the code, and a denial is the reply', async () => {
    const executor = new EchoExecutor()
    const decisions = [{ decision: 'deny', reason: 'not today' } as const, { decision: 'allow' } as const]
    const user = speaker('user', [], {
      codeExecutionConfig: { executor },
      ask: { code: async () => decisions.shift() ?? { decision: 'allow' } },
    })
    const writer = speaker('writer', [fence('python', 'one'), fence('python', 'two'), null])
    const events = await eventsOf(user.initiateChat(writer, { message: 'Go.' }))
    expect(executor.ran).toEqual(['two'])
    expect(contentsOf(historyOf(user, writer))[2]).toContain('not today')
    const requested = eventsOfType(events, 'approval-requested')
    expect(requested).toMatchObject([
      { agent: 'user', request: { kind: 'code', blocks: [{ code: 'one' }] } },
      { agent: 'user', request: { kind: 'code', blocks: [{ code: 'two' }] } },
    ])
    expect(requested[0]?.choices).toContainEqual({ decision: 'allow', remember: 'code' })
    expect(eventsOfType(events, 'approval-answered')).toMatchObject([
      { requestId: requested[0]?.request.id, answer: { decision: 'deny', reason: 'not today' } },
      { requestId: requested[1]?.request.id, answer: { decision: 'allow' } },
    ])
    expect(user.executor).toBe(executor)
  })

  it('remembers an answer until it is taken back, or all is forgotten', async () => {
    let questions = 0
    const user = speaker('user', [], {
      codeExecutionConfig: { executor: new EchoExecutor() },
      ask: {
        code: async () => {
          questions++
          return { decision: 'allow', remember: 'code' }
        },
      },
    })
    const writer = () => speaker('writer', [fence('python', 'one'), fence('python', 'one'), null])
    await user.initiateChat(writer(), { message: 'Go.' })
    expect(questions).toBe(1)
    expect(user.rememberedApprovals.list()).toHaveLength(1)
    user.reset()
    await user.initiateChat(writer(), { message: 'Go.' })
    expect(questions).toBe(2)
  })
})
