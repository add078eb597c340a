import type { ReplyFunction } from '../agent/agent.ts'
import type { AgentParts } from '../agent/agent-parts.ts'
import { checkTerminationAndHumanReply } from './check-termination-and-human-reply.ts'
import { generateCodeExecutionReply, noExecutorReply } from './generate-code-execution-reply.ts'
import { generateModelReply } from './generate-model-reply.ts'
import { generateToolCallsReply } from './generate-tool-calls-reply.ts'

/** The reply functions of every agent, in the order in which they are called. */
export const defaultReplyFunctions: readonly ReplyFunction[] = [
  checkTerminationAndHumanReply,
  generateToolCallsReply,
  generateCodeExecutionReply,
  generateModelReply,
]

export const ownReplyFunctions: ReadonlySet<ReplyFunction> = new Set([
  ...defaultReplyFunctions,
  noExecutorReply,
])

/** Whether an agent has functions of its owner's to reply with, or words for code that it does not run. */
export function hasOtherReplies({ replies }: AgentParts): boolean {
  return [...replies].some(({ reply }) => !ownReplyFunctions.has(reply) || reply === noExecutorReply)
}
