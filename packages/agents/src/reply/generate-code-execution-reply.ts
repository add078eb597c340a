import { askingExecutor, type CodeBlock } from '@fenced/core'
import { byKind, codeHash } from '@fenced/core/internal'
import type { ReplyFunction } from '../agent/agent.ts'
import type { AgentParts, CodeExecution } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import { contentWith } from '../message/made-parts.ts'
import type { Message, MessageInput } from '../message/message.ts'
import { anyExecutor, emitSkipped, type HeardPrograms, programsOf } from '../running/code-blocks.ts'
import { codeReply } from '../running/result-text.ts'
import { type ProgramRunner, runProgram } from '../running/run-program.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { repetitionsIn } from '../running/team-programs.ts'
import { ownReply, type ReplyTurn } from './own-reply.ts'

/** Runs the programs in the newest message that contains code, and replies with the result. */
export const generateCodeExecutionReply: ReplyFunction = ownReply(async (turn) => {
  const { agent, sender, messages, chat, conversation } = turn
  const { name, codeExecution, settings } = agent
  if (codeExecution === undefined) return undefined
  const found = findCode(messages, codeExecution, chat)
  if (found === undefined) return undefined
  await emitSkipped(name, found.skipped, chat)
  const { blocks } = found
  if (blocks.length === 0) return saysSkipped(agent) ? { reply: output(found.withheld.trimEnd()) } : undefined
  found.claim()
  const undone = await codeExecution.undone.report(name, chat)
  const withheld = [...undone.map(({ message }) => `${message}\n`), found.withheld].join('')
  await chat.emit({ type: 'code-start', agent: name, blocks })
  const { maxResultLength } = codeExecution
  const { asking, questions } = codeExecution.forRun(chat.given)
  const place = isDecided(messages, blocks)
    ? decidedByMessage(turn, codeExecution)
    : { executor: asking, questions, run: chat }
  const { content, pictures, ending } = await runProgram(
    { blocks, withheld, about: { saved: chat.savedCode } },
    {
      ...{ ...place, agent: name },
      describe: (result) => codeReply(result, maxResultLength),
      // For a partner whose model takes pictures, or, where that is not known, as the agent's own option says.
      pictures: sender?.settings.pictures ?? settings.pictures,
      repetitions: repetitionsIn(chat.programs) ?? conversation.repetitions,
    },
  )
  const reply = output(contentWith(content, pictures))
  return ending === undefined ? { reply } : { reply, endsChat: ending }
})

/** An agent that has nothing else to say reports who ran the code. */
function saysSkipped({ model, settings }: AgentParts): boolean {
  return model === undefined && (settings.defaultAutoReply ?? '') === ''
}

/** Neither a model nor a person wrote it. */
function output(content: Exclude<MessageInput, string>['content']): MessageInput {
  return { origin: 'program', content }
}

/** Runs programs that a message of a person has decided about: the question about them is recorded, and not shown. */
function decidedByMessage({ agent, chat }: ReplyTurn, { executor }: CodeExecution): Place {
  const { ledger, settings } = agent
  const ask = { ...byKind(settings.ask ?? {}), code: () => allowedByMessage }
  const options = { agent: agent.name, ledger, askTimeoutMs: settings.askTimeoutMs }
  const decided = new Set<string>()
  const emit: RunContext['emit'] = (event) => {
    if (event.type === 'approval-requested' && event.request.kind === 'code') decided.add(event.request.id)
    else if (event.type !== 'approval-answered' || !decided.has(event.requestId)) return chat.emit(event)
  }
  const { signal, drained } = chat
  return { executor: askingExecutor(executor, ask, options), questions: {}, run: { signal, drained, emit } }
}

/** An empty message of a person is the decision about the programs that it runs. */
const allowedByMessage = { decision: 'allow', by: 'person' } as const

type Place = Pick<ProgramRunner, 'executor' | 'questions' | 'run'>

/** The blocks of the newest message that has code, among those that are searched; without programs that another member of the team has run. */
export function findCode(
  messages: readonly Message[],
  { executor, lastNMessages }: Pick<CodeExecution, 'executor' | 'lastNMessages'>,
  chat?: ChatContext,
): HeardPrograms | undefined {
  const count = lastNMessages === 'auto' ? trailingUserMessages(messages) : lastNMessages
  const searched = count === 0 ? [] : messages.slice(-count)
  for (const message of searched.toReversed()) {
    if (message.metadata?.codeDenied === true) continue
    const found = programsOf([message], { executor, namesOthers: true, programs: chat?.programs })
    if (found.blocks.length > 0 || found.skipped.length > 0) return found
  }
  return undefined
}

function trailingUserMessages(messages: readonly Message[]): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user')
}

/** Reports to the sender that its code was not run, in place of an empty message. */
export const noExecutorReply: ReplyFunction = ownReply(({ agent, messages }) => {
  const last = messages.at(-1)
  if (last?.role !== 'user') return undefined
  const { blocks } = programsOf([last], { executor: anyExecutor, namesOthers: true })
  if (blocks.length === 0) return undefined
  return {
    reply: output(
      `The code was not run: ${agent.name} has no code executor. Set codeExecutionConfig: { executor }, or false if it should run nothing.`,
    ),
  }
})

/** The programs that a person has decided to run with an empty message, by the messages of the turn. */
const decided = new WeakMap<readonly Message[], string>()

/** Keeps the decision for this turn: the next question about these programs would ask the same person the same thing. */
export function decideByMessage(messages: readonly Message[], blocks: readonly CodeBlock[]): void {
  decided.set(messages, codeHash(blocks))
}

/** Whether exactly these programs were decided in this turn. */
function isDecided(messages: readonly Message[], blocks: readonly CodeBlock[]): boolean {
  return decided.get(messages) === codeHash(blocks)
}
