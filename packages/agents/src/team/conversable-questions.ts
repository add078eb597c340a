import type { DecisionLedger } from '@fenced/core'
import { asksForApproval, denialText } from '@fenced/core/internal'
import type { Agent } from '../agent/agent.ts'
import { partsOf } from '../agent/agent-parts.ts'
import type { Message } from '../message/message.ts'
import { toSent } from '../message/sent-and-received.ts'
import { toolCallsOf, toolResultPart } from '../message/tool-parts.ts'
import type { OpenQuestion } from '../open-question.ts'
import { asksPerson } from '../reply/check-termination-and-human-reply.ts'
import { deniedOnLoading, type SavedTurn } from '../running/saved-questions.ts'
import { deniedCall } from '../tool/call-tool.ts'
import { openCallsOf } from './reply-to-team.ts'

interface AskingAgain {
  readonly agent: Agent
  readonly sender: Agent
  readonly messages: readonly Message[]
  readonly autoReplies: number
}

/** Whether a question would be asked again. */
export async function asksAgain(question: OpenQuestion, again: AskingAgain): Promise<boolean> {
  const asker = askerOf(again.agent, question)
  return asker !== undefined && (await wouldAsk(asker, question, again))
}

/** The ledger of the agent that asked a question; of the given agent where that agent no longer takes part. */
export function ledgerOf(agent: Agent, question: OpenQuestion): DecisionLedger {
  return partsOf(askerOf(agent, question) ?? agent).ledger
}

function askerOf(agent: Agent, { agent: name }: OpenQuestion): Agent | undefined {
  return name === agent.name ? agent : nestedAgent(agent, name)
}

async function wouldAsk(asker: Agent, { request }: OpenQuestion, again: AskingAgain): Promise<boolean> {
  const { settings, askTool, codeExecution } = partsOf(asker)
  if (request.kind === 'code') return codeExecution !== undefined && asksForApproval(codeExecution.asking)
  if (request.kind === 'tool') return askTool !== undefined
  if (asker === again.agent) {
    const { sender, messages } = again
    return await asksPerson({ agent: partsOf(asker), sender: partsOf(sender), messages }, again)
  }
  // A nested conversation begins again.
  const { humanInputMode } = settings
  return request.kind === 'reply' ? humanInputMode === 'always' : humanInputMode !== 'never'
}

/** Finds an agent in the nested conversations of another agent, by its name. */
function nestedAgent(agent: Agent, name: string, seen = new Set<Agent>()): Agent | undefined {
  if (seen.has(agent)) return undefined
  seen.add(agent)
  const members = partsOf(agent).nestedChats.flatMap(({ sender, recipient }) =>
    [sender, recipient].filter((member) => member !== undefined),
  )
  const found = members.find((member) => member.name === name)
  if (found !== undefined) return found
  for (const member of members) {
    const inner = nestedAgent(member, name, seen)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The reply to a question that was denied when the state was loaded. */
interface Denial {
  readonly message: Message
  /** Whether it is the reply to the team. After the agent's own calls its model replies. */
  readonly isReply: boolean
}

/** Adds the denial to a conversation. It answers the calls of the last message, if any. Code of earlier messages is not run later either. */
export function deny(agent: Agent, messages: Message[], { questions }: SavedTurn): Denial {
  const last = messages.at(-1)
  const toolCalls = last === undefined ? [] : toolCallsOf(last)
  const content = toolCalls.map((call) => toolResultPart(deniedCall(call, deniedOnLoading)))
  const said = content.length > 0 ? content : textFor(questions)
  const message = toSent({ origin: 'program', content: said }, agent.name)
  messages.splice(0, messages.length, ...messages.map(withoutPermission), message)
  return { message, isReply: openCallsOf(last, agent.name) === '' }
}

function textFor(questions: readonly OpenQuestion[]): string {
  const isAboutCode = questions.some(({ request }) => request.kind === 'code')
  return isAboutCode ? denialText(deniedOnLoading) : `Nothing was done. ${deniedOnLoading}`
}

/** The same message, whose code is never run. */
function withoutPermission(message: Message): Message {
  return { ...message, metadata: { ...message.metadata, codeDenied: true } }
}
