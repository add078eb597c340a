import { type ApprovalQueue, askingExecutor, type DecisionLedger } from '@fenced/core'
import { ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { registerFunction } from '../src/agent/registered-functions.ts'
import { CodeExecutorAgent } from '../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../src/conversable-agent/presets.ts'
import type { HumanInputRequest } from '../src/human-input/human-input.ts'
import { EchoExecutor } from '../src/reply/echo-executor.fixture.ts'
import type { Participant, TaskRunner } from '../src/task/chat-agent.ts'
import { asChatAgent } from '../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../src/team/round-robin-group-chat.ts'
import { ScriptedHumanInput } from '../src/testing/scripted-human-input.ts'
import { type ScriptedAnswer, ScriptedModel } from '../src/testing/scripted-model.ts'
import type { AgentTool } from '../src/tool/agent-tool.ts'
import { program } from './code-executor-agent/solving.fixture.ts'

export const code = program('print(1)')

/** The effects of an agent, and its approver: none where `questions` is `undefined`. */
export class World {
  readonly executor = new EchoExecutor()
  readonly calls: string[] = []
  readonly questions: ApprovalQueue | undefined
  readonly continues: boolean
  readonly ledger: DecisionLedger | undefined

  constructor(
    questions?: ApprovalQueue,
    { continues = true, ledger }: { readonly continues?: boolean; readonly ledger?: DecisionLedger } = {},
  ) {
    this.questions = questions
    this.continues = continues
    this.ledger = ledger
  }

  get done(): readonly string[] {
    return [...this.executor.ran, ...this.calls]
  }

  get asksAboutCode() {
    const { ledger } = this
    return this.questions === undefined ? { ledger } : { ledger, ask: { code: this.questions.ask } }
  }

  get asksAboutTools() {
    const { ledger } = this
    return this.questions === undefined ? { ledger } : { ledger, ask: { tool: this.questions.ask } }
  }

  /** A tool whose calls need a decision if there is an `ask`, or always. */
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

export const callsTool: ScriptedAnswer = { toolCalls: [{ name: 'remove', input: {} }] }

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
function person({ executor, questions, ledger }: World) {
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
    ledger,
    codeExecutionConfig: { executor },
  })
}

/** Holds a conversation with an agent that runs code, before it replies. */
export function nesting(world: World) {
  const outer = new UserProxyAgent({ name: 'outer', humanInputMode: 'never' })
  outer.registerNestedChats([{ recipient: proxy(world), maxTurns: 1 }], { trigger: () => true })
  return outer
}

export const teamOf = (...participants: Participant[]) =>
  new RoundRobinGroupChat({ participants, maxTurns: participants.length })

/** A name, an agent, and its question: the name of the agent that asks, and the kind. */
export const kinds: readonly [string, (world: World) => TaskRunner, { agent: string; kind: string }][] = [
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
          ...{ name: 'assistant', model: world.says(callsTool) },
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
      const model = world.says(callsTool)
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
