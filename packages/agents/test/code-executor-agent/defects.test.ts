import type { ApprovalAnswer, Ask, CodeApprovalRequest } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { isDelta } from '../../src/event.ts'
import { decision, itemsOf, ofType, outline, program, runner, secondTime, solver } from './solving.fixture.ts'

const thirdTime = [
  program('raise ValueError: no data'),
  decision(true, 'Read the other file.'),
  program('raise KeyError: a'),
  decision(true, 'Look for b.'),
  program('say 42'),
  'It is 42.',
]

describe('what AutoGen does wrong', () => {
  it('D-36: a task is said once, however many tries there are', async () => {
    const { agent, prompt } = solver(thirdTime, { maxRetriesOnError: 2 })
    await agent.run({ task: 'What is it?' })
    for (const call of [0, 1, 2, 3, 4, 5]) {
      expect(prompt(call).join().split('What is it?')).toHaveLength(2)
    }
  })

  it('D-36: whoever awaits a run has all that whoever iterates it has seen', async () => {
    const awaited = await solver(thirdTime, { maxRetriesOnError: 2 }).agent.run({ task: 'What is it?' })
    const iterated = await itemsOf(
      solver(thirdTime, { maxRetriesOnError: 2 }).agent.run({ task: 'What is it?' }),
    )
    const whole = iterated.filter((item) => !isDelta(item))
    expect(outline(awaited.events)).toEqual(outline(whole.slice(0, -1)))
    expect(whole.at(-1)).toMatchObject({ type: 'task-end', result: { events: whole.slice(0, -1) } })
    const left = iterated.filter((item) => !whole.includes(item))
    expect(new Set(left.map((item) => (item.type === 'code' ? item.event.type : item.type)))).toEqual(
      new Set(['text-delta', 'stdout', 'stderr']),
    )
    const kept = awaited.events.map((item) => (item.type === 'code' ? item.event.type : item.type))
    expect(kept).toEqual(expect.arrayContaining(['task-start', 'usage', 'block-start', 'block-end']))
  })

  it('D-36: the tokens of every call are counted, per answer and per agent, with what they cost', async () => {
    const { agent } = solver([...secondTime, 'one two'], {
      maxRetriesOnError: 1,
      prices: { scripted: { inputPerMillion: 0, outputPerMillion: 1_000_000 } },
    })
    const first = await agent.onMessages([])
    const spoken = secondTime.join(' ').split(/\s+/).length
    expect(first.message.metadata?.usage).toMatchObject({ outputTokens: spoken, cost: spoken })
    const second = await agent.onMessages([])
    expect(second.message.metadata?.usage).toMatchObject({ outputTokens: 2, cost: 2 })
    expect(agent.usage).toMatchObject({ outputTokens: spoken + 2, cost: spoken + 2 })
    expect(agent.usage.inputTokens).toBe(
      (first.message.metadata?.usage?.inputTokens ?? 0) + (second.message.metadata?.usage?.inputTokens ?? 0),
    )
    expect(agent.usage.byModel.scripted?.outputTokens).toBe(spoken + 2)
  })

  it('D-36: tokens of an answer that came to nothing are counted for the agent', async () => {
    const stop = new AbortController()
    const { agent } = solver([program('hang')])
    for await (const item of agent.run({ signal: stop.signal })) {
      if (item.type === 'code-generated') stop.abort()
    }
    expect(agent.usage.outputTokens).toBe(program('hang').split(/\s+/).length)
  })

  it.each([
    ['decision', 1],
    ['reflection', 3],
  ])('D-36: the %s can be cancelled', async (_, at) => {
    const stop = new AbortController()
    const { agent } = solver(
      (call) => {
        if (call !== at) return secondTime[call] ?? ''
        stop.abort()
        return new Promise<string>(() => {})
      },
      { maxRetriesOnError: 1 },
    )
    expect((await agent.run({ signal: stop.signal })).status).toBe('cancelled')
  })

  it('D-36: the model has its instructions when it decides', async () => {
    const { agent, prompt } = solver(secondTime, { maxRetriesOnError: 1, systemMessage: 'Be good.' })
    await agent.onMessages([])
    expect(prompt(1)[0]).toMatch(/^system: Be good\./)
  })

  it('D-36: the plan reaches the model that writes the next program', async () => {
    const { agent, prompt } = solver(secondTime, { maxRetriesOnError: 1 })
    await agent.onMessages([])
    expect(prompt(2).at(-1)).toMatch(/\n\nAttempt number: 1\nProposed correction: Read the other file\.$/)
  })

  it('D-36: reset and saved states include the conversation', async () => {
    const { agent, prompt } = solver([program('say 1'), 'One.', 'Who?', 'I see.'])
    await agent.run({ task: 'Say one.' })
    const state = await agent.saveState()
    await agent.reset()
    await agent.run({ task: 'What did I say?' })
    expect(prompt(2).join()).not.toContain('Say one.')
    await agent.loadState(state)
    await agent.run({ task: 'And now?' })
    expect(prompt(3).join()).toMatch(/Say one\..*One\..*And now\?/s)
    expect(prompt(3).join()).not.toContain('What did I say?')
  })

  it('D-36, CE-52: whatever can be called decides', async () => {
    class Policy {
      readonly asked: string[] = []
      async ask({ codeHash }: CodeApprovalRequest): Promise<ApprovalAnswer> {
        this.asked.push(codeHash)
        return { decision: 'allow' }
      }
    }
    const policy = new Policy()
    const callable = Object.assign(async () => ({ decision: 'allow' as const }), { kind: 'callable' })
    const withRule = (rule: string, { blocks }: CodeApprovalRequest): ApprovalAnswer =>
      blocks.some(({ code }) => code.includes(rule))
        ? { decision: 'deny', reason: rule }
        : { decision: 'allow' }
    const rows = [policy, policy.ask.bind(policy), callable, withRule.bind(undefined, 'rm')]
    for (const ask of rows) {
      const { agent } = runner({ ask: ask as Ask })
      expect((await agent.run({ task: program('say 1') })).messages.at(-1)).toMatchObject({ content: '1\n' })
    }
    expect(policy.asked).toHaveLength(2)
  })

  it('D-36: what the executor gives stays as it was', async () => {
    const { agent, executor } = solver([program('exit 0'), 'Done.', program('raise Oh'), 'Oh.'])
    const given: string[] = []
    const execute = executor.execute.bind(executor)
    executor.execute = (...call) => {
      const execution = execute(...call)
      void execution.then((result) => given.push(JSON.stringify(Object.freeze(result))))
      return execution
    }
    const results = [await agent.onMessages([]), await agent.onMessages([])].flatMap(({ events }) =>
      ofType(events, 'code-end').map(({ result }) => JSON.stringify(result)),
    )
    expect(given).toHaveLength(2)
    expect(results).toEqual(given)
  })

  it('D-36: nobody reflects on code that was not to be run', async () => {
    const { agent, model, executor } = solver([program('say 1')], {
      ask: { code: () => ({ decision: 'deny', reason: 'Not today.' }) },
    })
    const { message } = await agent.onMessages([])
    expect(message.content).toBe('Code execution was not approved. Reason: Not today.')
    expect(model.prompts).toHaveLength(1)
    expect(executor.ran).toEqual([])
  })

  it('D-46: an executor that fails is a result', async () => {
    const { agent } = runner()
    const { messages, events } = await agent.run({ task: program('say so far', 'break') })
    const [told] = ofType(events, 'notice')
    expect(told?.notice).toMatchObject({ code: 'DRIVER_FAILED', data: { reason: 'the executor is gone' } })
    expect(messages.at(-1)).toMatchObject({ content: expect.stringContaining(`${told?.notice.message}`) })
  })
})
