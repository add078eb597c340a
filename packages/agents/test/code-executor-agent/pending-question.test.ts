import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type ApprovalAnswer, ApprovalQueue, type CodeApprovalRequest, DecisionLedger } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { UserProxyAgent } from '../../src/conversable-agent/presets.ts'
import { EchoExecutor } from '../../src/reply/echo-executor.fixture.ts'
import type { ChatAgent } from '../../src/task/chat-agent.ts'
import { taskMessages } from '../../src/task/run-task.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { saidIn, TestAgent } from '../../src/team/test-agent.fixture.ts'
import { ScriptedHumanInput } from '../../src/testing/scripted-human-input.ts'
import { allow, deny } from './answering.fixture.ts'
import { program, runner, secondTime, solver, toolUser } from './solving.fixture.ts'

const answer = new URL('programs/answer.ts', import.meta.url).pathname
const throughJson = (state: unknown) => JSON.parse(JSON.stringify(state))

/** A turn of a model that calls a tool. */
const removing = { text: 'I remove.', toolCalls: [{ name: 'remove', input: { name: 'b' } }] }

/** Answers all but the last question, which stays open. */
function waiting(...answers: ApprovalAnswer[]) {
  const asked: CodeApprovalRequest[] = []
  const code = (request: CodeApprovalRequest) => {
    asked.push(request)
    return answers.shift() ?? new Promise<never>(() => {})
  }
  return {
    ask: { code },
    asked,
    isAsked: (count: number) => expect.poll(() => asked.length).toBe(count),
  }
}

describe('an agent that is saved while somebody is asked whether its code may be run', () => {
  it('has its answer in another process, which runs the program and goes on with the tries', async () => {
    const { ask, asked, isAsked } = waiting(allow)
    const { agent, executor } = solver(secondTime, { maxRetriesOnError: 1, ask })
    const stop = new AbortController()
    const running = agent.run({ task: 'What is it?', signal: stop.signal })
    await isAsked(2)
    expect(agent.pendingApproval).toEqual(asked[1])
    const state = JSON.stringify(await agent.saveState())
    stop.abort()
    await running
    expect(executor.ran).toEqual(['raise ValueError: no data'])
    const args = ['--conditions=@fenced/source', answer, state]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual({
      // The ledger of this process is in its memory.
      after: [asked[1]?.id],
      question: `${asked[1]?.question} This program may have run already.`,
      pending: asked[1]?.question,
      text: 'It is 42.',
      attempts: [1],
      ran: ['say 42'],
      isWrittenOnce: true,
    })
  })

  it('is refused in between, and has no question before and after', async () => {
    const { ask, isAsked } = waiting()
    const { agent } = runner({ ask })
    expect(agent.pendingApproval).toBeUndefined()
    const stop = new AbortController()
    const task = taskMessages(program('say 1'))
    const answering = agent.onMessages(task, { signal: stop.signal })
    await expect(agent.saveState()).rejects.toMatchObject({ code: 'AGENT_IS_ANSWERING' })
    await isAsked(1)
    await agent.saveState()
    await expect(agent.reset()).rejects.toMatchObject({ code: 'AGENT_IS_ANSWERING' })
    stop.abort()
    await expect(answering).rejects.toThrow()
    expect(agent.pendingApproval).toBeUndefined()
    expect(await agent.saveState()).not.toHaveProperty('question')
  })

  it('has a denial as the answer as well, without a model, and the question is in a state that is saved again', async () => {
    const first = waiting()
    const ledger = new DecisionLedger()
    const { agent } = runner({ ask: first.ask, ledger })
    void agent.run({ task: program('say 1') })
    await first.isAsked(1)
    const state = throughJson(await agent.saveState())
    const second = waiting(deny('Not today.'))
    const other = runner({ ask: second.ask, ledger })
    await other.agent.loadState(state)
    expect(throughJson(await other.agent.saveState())).toEqual(state)
    expect((await other.agent.run()).text).toContain('Not today.')
    expect([second.asked[0]?.id, other.executor.ran]).toEqual([first.asked[0]?.id, []])
  })

  it('runs once, where two agents have the question and both are allowed', async () => {
    const ledger = new DecisionLedger()
    const first = waiting()
    const { agent } = runner({ ask: first.ask, ledger })
    void agent.run({ task: program('say 1') })
    await first.isAsked(1)
    const state = throughJson(await agent.saveState())
    const questions = [new ApprovalQueue(), new ApprovalQueue()]
    const others = questions.map((ask) => runner({ ask, ledger }))
    const runs = others.map(async (other) => {
      await other.agent.loadState(state)
      return await other.agent.run()
    })
    await expect.poll(() => questions.flatMap(({ pending }) => pending).length).toBe(2)
    for (const queue of questions) queue.answer(queue.pending[0]?.id ?? '', allow)
    const outcomes = (await Promise.allSettled(runs)).map((run) =>
      run.status === 'fulfilled' ? run.value.text : run.reason.code,
    )
    expect(outcomes.sort()).toEqual(['1\n', 'APPROVAL_USED'])
    expect(others.flatMap(({ executor }) => executor.ran)).toEqual(['say 1'])
  })

  it('is asked another question where its code would run elsewhere', async () => {
    const first = waiting()
    const { agent } = runner({ ask: first.ask })
    void agent.run({ task: program('say 1') })
    await first.isAsked(1)
    const second = waiting(allow)
    const executor = new EchoExecutor()
    const other = runner({ ask: second.ask, executor })
    await other.agent.loadState(throughJson(await agent.saveState()))
    await other.agent.run()
    expect(second.asked[0]?.target).not.toEqual(first.asked[0]?.target)
    expect(second.asked[0]?.id).not.toBe(first.asked[0]?.id)
    expect(executor.ran).toEqual(['say 1'])
  })

  it('has its answer to a question about a call in another process, which calls only what was not called before', async () => {
    const asked: string[] = []
    const { agent, calls } = toolUser(
      [
        {
          text: 'I look, and remove.',
          toolCalls: [
            { name: 'look', input: { name: 'a' } },
            { name: 'remove', input: { name: 'b' } },
          ],
        },
      ],
      ({ id }) => {
        asked.push(id)
        return new Promise<never>(() => {})
      },
    )
    const stop = new AbortController()
    const running = agent.run({ task: 'Tidy up.', signal: stop.signal })
    await expect.poll(() => [asked.length, calls.length]).toEqual([1, 1])
    expect(agent.pendingApproval).toMatchObject({ kind: 'tool', tool: 'remove', id: asked[0] })
    const state = JSON.stringify(await agent.saveState())
    stop.abort()
    await running
    const program = new URL('programs/answer-call.ts', import.meta.url).pathname
    const args = ['--conditions=@fenced/source', program, state]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const other = JSON.parse(stdout)
    // The ledger of this process is in its memory.
    expect(other).toMatchObject({ asked, text: 'Removed.', calls: ['remove b'] })
    expect(other.pending).toContain('wants to call the tool remove with {"name":"b"}')
    expect(other.told).toMatch(/look: a.*remove: b/)
    expect(calls).toEqual(['look a'])
  })

  it('makes a call once, where two agents have the question about it and both are allowed', async () => {
    const ledger = new DecisionLedger()
    const first = new ApprovalQueue()
    const asking = toolUser([removing], first.ask, { ledger })
    void asking.agent.run({ task: 'Tidy up.' })
    await expect.poll(() => first.pending).toHaveLength(1)
    const state = throughJson(await asking.agent.saveState())
    const questions = [new ApprovalQueue(), new ApprovalQueue()]
    const others = questions.map((queue) => toolUser(['Removed.'], queue.ask, { ledger }))
    const runs = others.map(async ({ agent }) => {
      await agent.loadState(state)
      return await agent.run()
    })
    await expect.poll(() => questions.flatMap(({ pending }) => pending)).toHaveLength(2)
    const [question] = first.pending
    for (const queue of questions) {
      // Without an answer it is denied now.
      expect(queue.pending).toEqual([{ ...question, needsApproval: true }])
      queue.answer(question?.id ?? '', allow)
    }
    await Promise.all(runs)
    expect(others.flatMap(({ calls }) => calls)).toEqual(['remove b'])
    expect(await ledger.list()).toMatchObject([{ kind: 'tool', state: 'finished', decidedBy: 'person' }])
  })

  it('says of a call that began that it may have been made', async () => {
    const ledger = new DecisionLedger()
    const first = new ApprovalQueue()
    const asking = toolUser([removing, 'Removed.'], first.ask, { ledger })
    const made = asking.agent.run({ task: 'Tidy up.' })
    await expect.poll(() => first.pending).toHaveLength(1)
    const state = throughJson(await asking.agent.saveState())
    const [{ request }] = state.turn.questions
    first.answer(first.pending[0]?.id ?? '', allow)
    await made
    expect(asking.calls).toEqual(['remove b'])
    const again = new ApprovalQueue()
    const { agent, calls } = toolUser(['Left.'], again.ask, { ledger })
    await agent.loadState(state)
    const running = agent.run()
    await expect
      .poll(() => again.pending)
      .toMatchObject([
        {
          after: request.id,
          question: `${request.question} This call may have been made already.`,
        },
      ])
    again.answer(again.pending[0]?.id ?? '', deny('It was.'))
    await running
    expect(calls).toEqual([])
  })

  it.each<[string, string, (questions: ApprovalQueue, ledger: DecisionLedger) => ChatAgent]>([
    ['a CodeExecutorAgent', 'code', (ask, ledger) => runner({ ask, ledger }).agent],
    ['a call', 'tool', ({ ask }, ledger) => toolUser([removing], ask, { ledger }).agent],
    [
      'an agent in a team',
      'code',
      (ask, ledger) =>
        asChatAgent(
          new UserProxyAgent({
            ...{ name: 'runner', humanInputMode: 'never', ask, ledger },
            codeExecutionConfig: { executor: new EchoExecutor() },
          }),
        ),
    ],
  ])('records the denial of the question of %s when its state is loaded', async (_, kind, make) => {
    const ledger = new DecisionLedger()
    const questions = new ApprovalQueue()
    const asking = make(questions, ledger)
    void asking.run(program('say 1'))
    await expect.poll(() => questions.pending).toHaveLength(1)
    const state = throughJson(await asking.saveState())
    const id = questions.pending[0]?.id ?? ''
    expect(await ledger.list()).toMatchObject([{ id, state: 'asked' }])
    const denies = () => make(new ApprovalQueue(), ledger).loadState(state, { onQuestion: 'deny' })
    const denied = [{ id, kind, state: 'denied', decidedBy: 'rule' }]
    await denies()
    expect(await ledger.list()).toMatchObject(denied)
    await denies()
    expect(await ledger.list()).toMatchObject(denied)
    // The ledger of the agent that was saved can be in the memory of another process.
    await ledger.remove(id)
    await denies()
    expect(await ledger.list()).toMatchObject(denied)
  })

  it('does not say of a denied program that it may have run', async () => {
    const questions = new ApprovalQueue()
    const { agent: asking } = runner({ ask: { code: questions.ask } })
    void asking.run(program('say 1'))
    await expect.poll(() => questions.pending).toHaveLength(1)
    const [saved] = questions.pending
    const { agent } = runner()
    await agent.loadState(throughJson(await asking.saveState()), { onQuestion: 'deny' })
    const shown: unknown[] = []
    for await (const event of agent.run()) if (event.type === 'approval-requested') shown.push(event.request)
    expect(shown).toEqual([
      { ...saved, id: expect.any(String), askedAt: expect.any(Number), agent: 'runner' },
    ])
  })

  it('refuses a state whose question is none', async () => {
    const { agent } = runner()
    const state = { ...(await agent.saveState()), question: { kind: 'code' } }
    await expect(agent.loadState(state)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })
})

describe('a team that is saved while somebody is asked', () => {
  it('asks again whether code may be run where it is loaded, and goes on with the same speaker', async () => {
    const ledger = new DecisionLedger()
    const make = (questions: ApprovalQueue) => {
      const { agent, executor } = runner({ ask: { code: questions.ask }, ledger })
      const participants = [new TestAgent('writer', [program('say 1'), 'Good.']), agent]
      return { executor, team: new RoundRobinGroupChat({ participants, maxTurns: 2 }) }
    }
    const [first, second] = [new ApprovalQueue(), new ApprovalQueue()]
    const here = make(first)
    void here.team.run('Go.').catch(() => {})
    await expect.poll(() => first.pending.length).toBe(1)
    const state = throughJson(await here.team.saveState())
    const there = make(second)
    await there.team.loadState(state)
    const running = there.team.run()
    await expect.poll(() => second.pending.length).toBe(1)
    expect(second.pending[0]?.id).toBe(first.pending[0]?.id)
    second.answer(second.pending[0]?.id ?? '', allow)
    expect(saidIn((await running).messages)).toEqual(['runner: 1\n', 'writer: Good.'])
    expect([here.executor.ran, there.executor.ran]).toEqual([[], ['say 1']])
  })

  it('asks a person again for the reply', async () => {
    const make = (humanInput: ScriptedHumanInput) => {
      const person = asChatAgent(new UserProxyAgent({ name: 'boss', humanInput }))
      return new RoundRobinGroupChat({ participants: [new TestAgent('a'), person], maxTurns: 2 })
    }
    const silent = new ScriptedHumanInput(() => new Promise<never>(() => {}))
    const here = make(silent)
    void here.run('Go.')
    await expect.poll(() => silent.requests.length).toBe(1)
    const state = throughJson(await here.saveState())
    const there = make(new ScriptedHumanInput(['Louder.']))
    await there.loadState(state)
    expect(saidIn((await there.run()).messages)).toEqual(['boss: Louder.', "a: a's"])
  })
})
