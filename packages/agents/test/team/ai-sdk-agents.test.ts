import { ApprovalQueue, type AskAbout, DecisionLedger, FencedError } from '@fenced/core'
import { generateText, isStepCount, ToolLoopAgent, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../../src/conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent, asTool } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { itemsOf } from '../../src/team/test-agent.fixture.ts'
import { type ScriptedAnswer, ScriptedModel } from '../../src/testing/scripted-model.ts'

const numbers = z.object({ a: z.number(), b: z.number() })
const add = tool({ inputSchema: numbers, execute: ({ a, b }) => a + b })
const asksFor = (name: string, input: object): ScriptedAnswer => ({ toolCalls: [{ name, input }] })
const script = [asksFor('add', { a: 1, b: 2 }), 'It is 3.']

describe('a ToolLoopAgent in a team', () => {
  it('answers with its last text, and its calls are events', async () => {
    const model = new ScriptedModel([...script, 'Still 3.'])
    const counter = asChatAgent(new ToolLoopAgent({ id: 'counter', model, tools: { add } }))
    const others = speaker('other', ['And now?'])
    const team = new RoundRobinGroupChat({ participants: [counter, asChatAgent(others)], maxTurns: 3 })
    const items = await itemsOf(team.run('1 + 2?'))
    expect(items.map(({ type }) => type).filter((type) => type !== 'text-delta' && type !== 'usage')).toEqual(
      [
        'task-start',
        'message',
        'tool-calls',
        'tool-start',
        'tool-end',
        'tool-results',
        'message',
        'message',
        'message',
        'task-end',
      ],
    )
    expect(items).toContainEqual(
      expect.objectContaining({ results: [expect.objectContaining({ name: 'add', content: '3' })] }),
    )
    expect(items.at(-1)).toMatchObject({
      result: { text: 'Still 3.', usage: { byModel: { scripted: expect.anything() } } },
    })
    const last = JSON.stringify(model.prompts[2])
    expect(last).toContain('"toolName":"add"')
    expect(last).toContain('other:\\nAnd now?')
  })

  it('is one of several that were saved, and goes on with all that it has said', async () => {
    const first = asChatAgent(
      new ToolLoopAgent({ id: 'counter', model: new ScriptedModel(script), tools: { add } }),
    )
    await first.run('1 + 2?')
    const model = new ScriptedModel(['As I said.'])
    const second = asChatAgent(new ToolLoopAgent({ id: 'counter', model, tools: { add } }))
    await second.loadState(JSON.parse(JSON.stringify(await first.saveState())))
    expect((await second.run('Once more?')).text).toBe('As I said.')
    expect(model.prompts[0]?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    await expect(second.loadState({ type: 'other', version: 1 })).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_STATE' }),
    )
    await second.reset()
    expect(await second.saveState()).toMatchObject({ memory: { messages: [] } })
  })

  it.each<[string, AskAbout<'tool'> | undefined, string]>([
    ['is made when it is allowed', () => ({ decision: 'allow' }), '3'],
    ['is denied with a reason', () => ({ decision: 'deny', reason: 'No sums today.' }), 'No sums today.'],
    ['is denied where nobody can be asked', undefined, 'it needs an approval'],
    ['is denied for an answer that is none', () => ({ decision: 'edit' }) as never, 'execution-denied'],
    ['is denied where asking fails', () => Promise.reject(new Error('no terminal')), 'no terminal'],
  ])('a call that needs an approval %s', async (_, tool, heard) => {
    const model = new ScriptedModel(script)
    const agent = new ToolLoopAgent({ id: 'counter', model, tools: { add: { ...add, needsApproval: true } } })
    const { text } = await asChatAgent(agent, { ask: tool && { tool } }).run('1 + 2?')
    expect(text).toBe('It is 3.')
    expect(JSON.stringify(model.prompts[1]?.at(-1))).toContain(heard)
  })

  it('answers when its tools have needed an approval too often', async () => {
    const model = new ScriptedModel((call) => (call < 30 ? asksFor('add', { a: call, b: 2 }) : 'Hello.'))
    const agent = new ToolLoopAgent({ id: 'counter', model, tools: { add: { ...add, needsApproval: true } } })
    const asked: unknown[] = []
    const member = asChatAgent(agent, {
      ask: {
        tool: ({ input }) => {
          asked.push(input)
          return { decision: 'deny', reason: 'No sums today.' }
        },
      },
      maxToolIterations: 3,
    })
    expect((await member.run('1 + 2?')).text).toContain('3 times in a row')
    expect([asked.length, model.prompts.length]).toEqual([3, 4])
    const { memory } = (await member.saveState()) as { memory?: { messages: { role: string }[] } }
    expect(memory?.messages.map(({ role }) => role)).toEqual([
      'user',
      ...[1, 2, 3].flatMap(() => ['assistant', 'tool', 'tool']),
      'assistant',
    ])
    expect(() => asChatAgent(agent, { maxToolIterations: 0 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
  })

  it.each<[string, AskAbout<'tool'>, object]>([
    ['allowed', () => ({ decision: 'allow', by: 'person' }), { state: 'finished', decidedBy: 'person' }],
    ['denied', () => ({ decision: 'deny', reason: 'No.' }), { state: 'denied', decidedBy: 'rule' }],
  ])('records a call that was %s', async (_, tool, record) => {
    const model = new ScriptedModel(script)
    const agent = new ToolLoopAgent({ id: 'counter', model, tools: { add: { ...add, needsApproval: true } } })
    const ledger = new DecisionLedger()
    await asChatAgent(agent, { ask: { tool }, ledger }).run('1 + 2?')
    expect(await ledger.list()).toMatchObject([{ kind: 'tool', ...record }])
  })

  it('names a call without a result in the next question about it', async () => {
    const stop = new AbortController()
    const hanging = tool({
      inputSchema: numbers,
      needsApproval: true,
      execute: () => {
        stop.abort()
        return new Promise<number>(() => {})
      },
    })
    const model = new ScriptedModel([asksFor('add', { a: 1, b: 2 }), asksFor('add', { a: 1, b: 2 }), 'Left.'])
    const questions: string[] = []
    const ledger = new DecisionLedger()
    const member = asChatAgent(new ToolLoopAgent({ id: 'counter', model, tools: { add: hanging } }), {
      ledger,
      ask: {
        tool: ({ question }) =>
          questions.push(question) === 1 ? { decision: 'allow' } : { decision: 'deny', reason: 'It was.' },
      },
    })
    await member.run({ task: '1 + 2?', signal: stop.signal })
    expect(await ledger.list()).toMatchObject([{ state: 'unknown' }])
    await member.run('Again.')
    expect(questions[1]).toBe(`${questions[0]} This call may have been made already.`)
  })

  it('asks a saved question with its id, and records its denial when the state is loaded', async () => {
    const ledger = new DecisionLedger()
    const member = (questions: ApprovalQueue) => {
      const model = new ScriptedModel(script)
      const tools = { add: { ...add, needsApproval: true } }
      return asChatAgent(new ToolLoopAgent({ id: 'counter', model, tools }), { ask: questions, ledger })
    }
    const queues = [new ApprovalQueue(), new ApprovalQueue()] as const
    const first = member(queues[0])
    void first.run('1 + 2?')
    await expect.poll(() => queues[0].pending).toHaveLength(1)
    const state = JSON.parse(JSON.stringify(await first.saveState()))
    const second = member(queues[1])
    await second.loadState(state)
    void second.run()
    await expect
      .poll(() => queues[1].pending.map(({ id }) => id))
      .toEqual(queues[0].pending.map(({ id }) => id))
    await member(new ApprovalQueue()).loadState(state, { onQuestion: 'deny' })
    expect(await ledger.list()).toMatchObject([{ state: 'denied', decidedBy: 'rule' }])
  })

  it('keeps no call that was still waiting when it was cancelled', async () => {
    const stop = new AbortController()
    const model = new ScriptedModel([...script.slice(0, 1), 'Hello.'])
    const agent = new ToolLoopAgent({ id: 'counter', model, tools: { add: { ...add, needsApproval: true } } })
    const member = asChatAgent(agent, {
      ask: {
        tool: () => {
          stop.abort()
          return { decision: 'allow' }
        },
      },
    })
    expect((await member.run({ task: '1 + 2?', signal: stop.signal })).status).toBe('cancelled')
    expect((await member.run('Hello?')).text).toBe('Hello.')
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'user'])
  })

  it('has its failure said, and a name', async () => {
    const model = new ScriptedModel([])
    const broken = asChatAgent(new ToolLoopAgent({ id: 'broken', model, maxRetries: 0 }))
    // The AI SDK prints the errors of its agents.
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    await expect(broken.run('Go.')).rejects.toThrow(/script/i)
    printed.mockRestore()
    expect(() => asChatAgent(new ToolLoopAgent({ model }))).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
    expect(asChatAgent(new ToolLoopAgent({ model }), { name: 'a' }).name).toBe('a')
    expect(() => asChatAgent({} as never)).toThrow(FencedError)
  })

  it('ends with the signal', async () => {
    const stop = new AbortController()
    const model = new ScriptedModel(['word '.repeat(1_000)], { wordDelayMs: 20 })
    const running = asChatAgent(new ToolLoopAgent({ id: 'a', model })).run({
      task: 'Go.',
      signal: stop.signal,
    })
    setTimeout(() => stop.abort(), 50)
    expect((await running).status).toBe('cancelled')
  })
})

describe('an agent as a tool', () => {
  const coder = () =>
    new CodeExecutorAgent({
      name: 'coder',
      executor: new EchoExecutor(),
      model: new ScriptedModel([fence('python', '3'), 'It is 3.', fence('python', '4'), 'It is 4.']),
    })

  it('does a task of generateText, and remembers the one before', async () => {
    const calls = [1, 2].map((n) => ({ name: 'coder', input: { task: `Print ${n + 2}.` } }))
    const model = new ScriptedModel([{ toolCalls: calls }, 'Both are done.'])
    const { text, steps } = await generateText({
      model,
      prompt: 'Go.',
      tools: { coder: asTool(coder()) },
      stopWhen: isStepCount(3),
    })
    expect(text).toBe('Both are done.')
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['It is 3.', 'It is 4.'])
  })

  it('does a task of another agent, and ends with its signal', async () => {
    const boss = new AssistantAgent({
      name: 'boss',
      model: new ScriptedModel([asksFor('worker', { task: 'Print 3.' }), 'The worker says 3.\nTERMINATE']),
      tools: { worker: asTool(coder(), { name: 'worker', description: 'Works.' }) },
    })
    const user = speaker('user')
    expect((await user.initiateChat(boss, { message: 'Go.' })).summary).toBe('The worker says 3.')
    const stopped = AbortSignal.abort(new Error('enough'))
    await expect(asTool(coder()).execute({ task: 'Go.' }, { abortSignal: stopped })).rejects.toThrow('enough')
  })

  it('says why it ended before it was done', async () => {
    const executor = new EchoExecutor()
    const model = new ScriptedModel([
      fence('python', 'fail'),
      '{"reason":"hopeless","retry":false}',
      'It failed.',
    ])
    const failing = new CodeExecutorAgent({ name: 'coder', executor, model, maxRetriesOnError: 2 })
    expect(await asTool(failing).execute({ task: 'Go.' })).toBe('It failed.\n\nStopped retrying: hopeless')
    expect(() => asTool(failing, { name: 'two words' })).toThrow(
      expect.objectContaining({ code: 'INVALID_TOOL' }),
    )
  })
})
