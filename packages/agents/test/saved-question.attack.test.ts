import { ApprovalQueue, type AskFunction, askingExecutor } from '@fenced/core'
import { ToolLoopAgent, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CodeExecutorAgent } from '../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../src/conversable-agent/presets.ts'
import { registerFunction } from '../src/conversable-agent/register-function.ts'
import type { HumanInputRequest } from '../src/human-input/human-input.ts'
import { EchoExecutor } from '../src/reply/echo-executor.fixture.ts'
import type { AgentState, Participant, TaskRunner } from '../src/task/chat-agent.ts'
import { asChatAgent } from '../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../src/team/round-robin-group-chat.ts'
import { ScriptedHumanInput } from '../src/testing/scripted-human-input.ts'
import { type ScriptedAnswer, ScriptedModel } from '../src/testing/scripted-model.ts'
import type { AgentTool } from '../src/tool/agent-tool.ts'
import { program } from './code-executor-agent/solving.fixture.ts'

const code = program('print(1)')

/** A queue that rejects the first question, and the ids of all questions. */
function unreachableAtFirst(): { questions: ApprovalQueue; ids: string[] } {
  const questions = new ApprovalQueue()
  const { ask } = questions
  const ids: string[] = []
  const rejecting: AskFunction = async (request, options) => {
    if (ids.push(request.id) === 1) throw new Error('no terminal')
    return await ask(request, options)
  }
  return { questions: Object.assign(questions, { ask: rejecting }), ids }
}

/** The effects of an agent, and its approver: none where `questions` is `undefined`. */
class World {
  readonly executor = new EchoExecutor()
  readonly calls: string[] = []
  readonly questions: ApprovalQueue | undefined
  readonly continues: boolean

  constructor(questions?: ApprovalQueue, { continues = true } = {}) {
    this.questions = questions
    this.continues = continues
  }

  get done(): readonly string[] {
    return [...this.executor.ran, ...this.calls]
  }

  get asksAboutCode() {
    return this.questions === undefined ? {} : { ask: { code: this.questions.ask } }
  }

  get asksAboutTools() {
    return this.questions === undefined ? {} : { ask: { tool: this.questions.ask } }
  }

  /** A tool that is asked about where there is an `ask`, or always. */
  tools(options: { needsApproval?: boolean } = {}) {
    const execute = () => {
      this.calls.push('remove')
      return 'removed'
    }
    return { remove: tool({ inputSchema: z.object({}), execute, ...options }) }
  }

  /** A model whose first answer is in the state: where that is loaded, it only continues. */
  says(first: ScriptedAnswer): ScriptedModel {
    return new ScriptedModel((call) => (call === 0 && !this.continues ? first : 'Good.'))
  }
}

/** A model whose first answer is not in the state, and comes again. */
const repeats = (first: ScriptedAnswer) => new ScriptedModel((call) => (call === 0 ? first : 'Good.'))

const callsTool: ScriptedAnswer = { toolCalls: [{ name: 'remove', input: {} }] }

const codeExecutorAgent = ({ executor, asksAboutCode }: World) =>
  new CodeExecutorAgent({ name: 'runner', executor, ...asksAboutCode })

const proxy = ({ executor, asksAboutCode }: World, lastNMessages: number | 'auto' = 'auto') =>
  new UserProxyAgent({
    name: 'proxy',
    humanInputMode: 'never',
    codeExecutionConfig: { executor, lastNMessages },
    ...asksAboutCode,
  })

/** Runs code when a person presses Enter. The person sits at the other end of the queue. */
function person({ executor, questions }: World) {
  const ask = async ({ id, prompt: question }: HumanInputRequest) => {
    const about = { question, tool: 'reply', digest: '', input: {} }
    const request = { kind: 'tool', id, toolCallId: id, ...about } as const
    const answer = await questions?.ask(request, new AbortController())
    return answer?.decision === 'allow' ? '' : 'exit'
  }
  return new UserProxyAgent({
    name: 'proxy',
    humanInputMode: questions === undefined ? 'never' : 'always',
    humanInput: new ScriptedHumanInput(ask),
    codeExecutionConfig: { executor },
  })
}

/** Holds a conversation with an agent that runs code, before it replies. */
function nesting(world: World) {
  const outer = new UserProxyAgent({ name: 'outer', humanInputMode: 'never' })
  outer.registerNestedChats([{ recipient: proxy(world), maxTurns: 1 }], { trigger: () => true })
  return outer
}

const teamOf = (...participants: Participant[]) =>
  new RoundRobinGroupChat({ participants, maxTurns: participants.length })

/** A name, an agent, and what it is asked: the name of the agent that asks, and the kind of the question. */
const kinds: readonly [string, (world: World) => TaskRunner, { agent: string; kind: string }][] = [
  ['CodeExecutorAgent: code of messages', codeExecutorAgent, { agent: 'runner', kind: 'code' }],
  [
    'CodeExecutorAgent: code of its model',
    (world) =>
      new CodeExecutorAgent({
        ...{ name: 'coder', model: world.says(code), executor: world.executor },
        ...world.asksAboutCode,
      }),
    { agent: 'coder', kind: 'code' },
  ],
  [
    'CodeExecutorAgent: askingExecutor',
    ({ executor, questions }) =>
      new CodeExecutorAgent({
        name: 'runner',
        executor: questions === undefined ? executor : askingExecutor(executor, questions),
      }),
    { agent: 'runner', kind: 'code' },
  ],
  [
    'CodeExecutorAgent: tool',
    (world) =>
      new CodeExecutorAgent({
        ...{ name: 'coder', model: world.says(callsTool), executor: world.executor },
        ...{ tools: world.tools(), ...world.asksAboutTools },
      }),
    { agent: 'coder', kind: 'tool' },
  ],
  ['UserProxyAgent: code', (world) => asChatAgent(proxy(world)), { agent: 'proxy', kind: 'code' }],
  [
    'UserProxyAgent: code of the last 5 messages',
    (world) => asChatAgent(proxy(world, 5)),
    { agent: 'proxy', kind: 'code' },
  ],
  ['UserProxyAgent: person', (world) => asChatAgent(person(world)), { agent: 'proxy', kind: 'reply' }],
  [
    'AssistantAgent: tool',
    (world) =>
      asChatAgent(
        new AssistantAgent({
          // Without an approver it could call the tool.
          ...{ name: 'assistant', model: repeats(world.questions === undefined ? 'Good.' : callsTool) },
          tools: world.tools(),
          ...world.asksAboutTools,
        }),
      ),
    { agent: 'assistant', kind: 'tool' },
  ],
  [
    'AssistantAgent: registered tool',
    (world) => {
      const assistant = new AssistantAgent({
        name: 'assistant',
        model: world.says(callsTool),
        ...world.asksAboutTools,
      })
      registerFunction({ name: 'remove', description: 'Removes.', ...world.tools().remove } as AgentTool, {
        caller: assistant,
        executor: assistant,
      })
      return asChatAgent(assistant)
    },
    { agent: 'assistant', kind: 'tool' },
  ],
  [
    'ConversableAgent with a nested conversation',
    (world) => asChatAgent(nesting(world)),
    { agent: 'proxy', kind: 'code' },
  ],
  [
    'ToolLoopAgent: tool',
    (world) => {
      const tools = world.tools({ needsApproval: true })
      const model = repeats(callsTool)
      return asChatAgent(new ToolLoopAgent({ id: 'loop', model, tools }), world.asksAboutTools)
    },
    { agent: 'loop', kind: 'tool' },
  ],
  [
    'team, in a team',
    (world) => {
      const writer = new AssistantAgent({ name: 'writer', model: repeats('Well.') })
      return teamOf(asChatAgent(writer), teamOf(codeExecutorAgent(world)))
    },
    { agent: 'runner', kind: 'code' },
  ],
]

/** The state of a runner, as JSON, that was saved while a question was open. */
async function stateWithQuestion(make: (world: World) => TaskRunner): Promise<AgentState> {
  const questions = new ApprovalQueue()
  const world = new World(questions, { continues: false })
  const saved = make(world)
  const stop = new AbortController()
  const running = saved.run({ task: code, signal: stop.signal })
  await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
  const state = JSON.parse(JSON.stringify(await saved.saveState()))
  stop.abort()
  await running
  expect(world.done).toEqual([])
  return state
}

type Kind = (typeof kinds)[number]

async function expectRefused(
  state: AgentState,
  { make, asked }: { readonly make: Kind[1]; readonly asked: Kind[2] },
): Promise<void> {
  const loading = make(new World())
  await expect(loading.loadState(state)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED', data: asked })
}

async function expectAskedAgain(
  runner: TaskRunner,
  { questions, ids, world }: ReturnType<typeof unreachableAtFirst> & { readonly world: World },
): Promise<void> {
  const running = runner.run()
  await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
  if (runner instanceof CodeExecutorAgent) expect(ids[1]).toBe(ids[0])
  expect(world.done).toEqual([])
  questions.answer(ids[1] ?? '', { decision: 'allow' })
  expect((await running).status).toBe('done')
  expect(world.done).toHaveLength(1)
}

describe('an open question in a saved state', () => {
  it.each(kinds)('is refused where there is no approver, and nothing changes: %s', async (_, make, asked) => {
    const state = await stateWithQuestion(make)
    const world = new World()
    const loading = make(world)
    const before = await loading.saveState()
    await expect(loading.loadState(state)).rejects.toMatchObject({
      code: 'APPROVAL_REQUIRED',
      data: { ...asked, question: expect.any(String) },
    })
    expect(await loading.saveState()).toEqual(before)
    expect(world.done).toEqual([])
  })

  it.each(kinds)('is denied on request, and nothing of it runs then or later: %s', async (_, make) => {
    const state = await stateWithQuestion(make)
    const world = new World()
    const loading = make(world)
    await loading.loadState(state, { onQuestion: 'deny' })
    const denied = await loading.saveState()
    // The denial is in the state: another process needs no decision, and runs nothing either.
    const other = new World()
    const elsewhere = make(other)
    await elsewhere.loadState(JSON.parse(JSON.stringify(denied)))
    for (const runner of [loading, elsewhere]) {
      const { events } = await runner.run()
      expect(JSON.stringify([events, await runner.saveState()])).toContain('denied when the state was loaded')
      await runner.run('Go on.')
      expect((await runner.run()).status).toBe('done')
    }
    expect([world.done, other.done]).toEqual([[], []])
  })

  it.each(kinds)('is asked again where there is an approver: %s', async (_, make) => {
    const state = await stateWithQuestion(make)
    const questions = new ApprovalQueue()
    const world = new World(questions)
    const loading = make(world)
    await loading.loadState(state)
    expect(await loading.saveState()).toEqual(state)
    const running = loading.run()
    await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
    expect(world.done).toEqual([])
    questions.answer(questions.pending[0]?.id ?? '', { decision: 'allow' })
    expect((await running).status).toBe('done')
    expect(world.done).toHaveLength(1)
  })

  it('is asked again where the tool itself no longer asks', async () => {
    const removing = (world: World, needsApproval: boolean) =>
      new CodeExecutorAgent({
        ...{ name: 'coder', model: world.says(callsTool), executor: world.executor },
        ...{ tools: world.tools({ needsApproval }), ...world.asksAboutTools },
      })
    const state = await stateWithQuestion((world) => removing(world, true))
    const questions = new ApprovalQueue()
    const world = new World(questions)
    const loading = removing(world, false)
    await loading.loadState(state)
    const { id: after } = loading.pendingApproval ?? expect.fail()
    const running = loading.run()
    await expect.poll(() => questions.pending, { interval: 5 }).toMatchObject([{ after }])
    questions.answer(questions.pending[0]?.id ?? '', { decision: 'deny', reason: 'No.' })
    await running
    expect(world.done).toEqual([])
  })

  it('stays open when the run that asks it again is cancelled', async () => {
    for (const [, make] of kinds) {
      const state = await stateWithQuestion(make)
      const loading = make(new World(new ApprovalQueue()))
      await loading.loadState(state)
      await loading.run({ signal: AbortSignal.abort() })
      const elsewhere = make(new World())
      await expect(elsewhere.loadState(await loading.saveState())).rejects.toMatchObject({
        code: 'APPROVAL_REQUIRED',
      })
    }
  })

  // A tool is denied where nobody can be reached.
  const notTools = kinds.filter(([, , { kind }]) => kind !== 'tool')

  it.each(notTools)('stays open when the approver cannot be reached: %s', async (_, make, asked) => {
    const state = await stateWithQuestion(make)
    const { questions, ids } = unreachableAtFirst()
    const world = new World(questions)
    const loading = make(world)
    await loading.loadState(state)
    await expect(loading.run()).rejects.toThrow('no terminal')
    await expectRefused(await loading.saveState(), { make, asked })
    await expectAskedAgain(loading, { questions, ids, world })
  })

  it.each(notTools)('is in the state after its approver could not be reached: %s', async (_, make, asked) => {
    const { questions, ids } = unreachableAtFirst()
    const world = new World(questions, { continues: false })
    const runner = make(world)
    await expect(runner.run({ task: code })).rejects.toThrow('no terminal')
    await expectRefused(await runner.saveState(), { make, asked })
    await expectAskedAgain(runner, { questions, ids, world })
  })

  it('is refused for another value of the option', async () => {
    const [[, make] = expect.fail()] = kinds
    const state = await stateWithQuestion(make)
    const loading = make(new World())
    const wrong = { onQuestion: 'allow' } as never
    await expect(loading.loadState(state, wrong)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })
})
