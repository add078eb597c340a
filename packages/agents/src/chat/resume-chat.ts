import type { z } from '@fenced/core/zod'
import type { Agent, ResumeChatOptions } from '../agent/agent.ts'
import { partsOf } from '../agent/agent-parts.ts'
import { type Chat, startChat } from '../agent/chat-context.ts'
import type { AgentState, ChatResult } from '../event.ts'
import type { QuestionAnswers } from '../running/questions.ts'
import { checkAnswers, questionsIn, readState } from '../task/agent-state.ts'
import { claimPair, endChat } from './initiate-chat.ts'
import { chatSchema, loadConversation } from './saved-chat.ts'

/** Continues a conversation that ended with the status `waiting`. */
export function resumeChat(
  pair: { readonly sender: Agent; readonly recipient: Agent },
  { state, answers }: { readonly state: AgentState; readonly answers: QuestionAnswers },
  options: ResumeChatOptions = {},
): Chat<ChatResult> {
  const { turn } = state as Partial<z.output<typeof chatSchema>>
  return startChat({
    of: 'resumeChat',
    options: { onQuestion: 'suspend' as const, ...options, answers },
    names: { onQuestion: true, answers: true, summaryMethod: true, summaryArgs: true },
    saved: turn,
    run: async (chat, { summaryMethod, summaryArgs }) => {
      const { maxTurns, position, conversations } = readState(chatSchema, state, 'Chat')
      checkAnswers(answers, questionsIn(state))
      const [sender, recipient] = [partsOf(pair.sender), partsOf(pair.recipient)]
      using _pair = claimPair({ sender, recipient })
      loadConversation(sender.conversations.with(recipient.agent), conversations.initiator)
      loadConversation(recipient.conversations.with(sender.agent), conversations.recipient)
      const { name: agent } = sender
      await chat.emit({ type: 'chat-start', agent, recipient: recipient.name })
      const given = { maxTurns, summaryMethod, summaryArgs }
      return await endChat({ sender, recipient }, given, { chat, position, isResumed: true })
    },
  })
}
