import {
  type AskOptions,
  askingExecutor,
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  createLanguageTable,
  type ExecutionEvent,
  FencedError,
} from '@fenced/core'
import { bytesLeftOutOf, codeHash, withLosses } from '@fenced/core/internal'
import { boundedText, picturesOf } from '@fenced/core/tool'
import type { Agent, ReplyContext, ReplyFunction } from '../agent/agent.ts'
import { type CodeExecution, internalsOf } from '../agent/agent-internals.ts'
import { ChatContext, type ReplyChat, savedIn } from '../agent/chat-context.ts'
import { contentWith } from '../message/made-parts.ts'
import type { Message, MessageInput } from '../message/message.ts'
import { areCode, blocksOf, codeBlocksOf, isProgram } from '../running/code-blocks.ts'
import { executorFailed, isUndecided } from '../running/error-notice.ts'
import { failureOf } from '../running/failure.ts'
import { emitSkipped, type SharedBlocks, sharedBlocks, skippedText } from '../running/program-claims.ts'
import { emitExecutionEvent, runCode, withLine } from '../running/run-code.ts'
import { repetitionsIn, type TeamPrograms } from '../running/team-programs.ts'
import { countedConversation } from './counted-conversation.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** How often the same program may fail in the same way, without a success in between, before the conversation ends. */
const maxSameFailures = 3

/** Runs the programs in the newest message that contains code, and replies with the result. */
export const generateCodeExecutionReply: ReplyFunction = stopsByItself(async (context) => {
  const { agent, messages, chat } = context
  const { codeExecution, ledger } = internalsOf(agent)
  if (codeExecution === undefined) return undefined
  const { executor, asking, questions, maxResultLength } = codeExecution
  const found = findCode(messages, codeExecution, chat)
  if (found === undefined) return undefined
  await emitSkipped(agent.name, found.skipped, chat)
  const blocks = [...found.blocks]
  if (blocks.length === 0)
    return saysSkipped(agent) ? { reply: output(skippedText(found.skipped).trimEnd()) } : undefined
  found.claim()
  const isByMessage = isDecided(messages, blocks)
  const deciding = isByMessage
    ? askingExecutor(executor, { code: () => allowedByMessage }, { agent: agent.name, ledger })
    : asking
  const outcome = await outcomeOf(blocks, { executor: deciding, questions, isByMessage }, context)
  const conversation = countedConversation(context)
  const repetitions = repetitionsIn(programsIn(chat)) ?? conversation.repetitions
  const { notice, ending } = repetitions.add(blocks, outcome)
  if (notice !== undefined) await chat.emit({ type: 'notice', agent: agent.name, notice })
  const text = `${skippedText(found.skipped)}${codeReply(outcome, maxResultLength)}`
  const reply = replyOf(withLine(text, notice?.message), outcome, context)
  const failure = outcome.exitCode === 0 ? undefined : failureOf(blocks, outcome)
  const failures = conversation.countFailure(failure)
  const endsChat = ending ?? (failures < maxSameFailures ? undefined : failedTooOften(failures))
  return endsChat === undefined ? { reply } : { reply, endsChat }
})

/** An agent that has nothing else to say reports who ran the code. */
function saysSkipped(agent: Agent): boolean {
  const { model, settings } = internalsOf(agent)
  return model === undefined && (settings.defaultAutoReply ?? '') === ''
}

function failedTooOften(failures: number): string {
  return `The same program failed in the same way ${failures} times, without a success in between.`
}

/** An empty message of a person is the decision about the programs that it runs. */
const allowedByMessage = { decision: 'allow', by: 'person' } as const

/** Whether an event is the question or the answer about code. */
function isAboutDecision({ type }: ExecutionEvent): boolean {
  return type === 'approval-requested' || type === 'approval-answered'
}

interface Place {
  readonly executor: CodeExecutor
  readonly questions: AskOptions
  /** Whether a message has decided about the programs. The question about them is then recorded and not shown. */
  readonly isByMessage: boolean
}

type Outcome = Pick<CodeResult, 'status' | 'exitCode' | 'output' | 'blocks'>

/** For a partner whose model takes pictures, or, where that is not known, as the agent's own option says. */
function replyOf(content: string, outcome: Outcome, { agent, sender }: ReplyContext): MessageInput {
  const theirs = sender === undefined ? undefined : internalsOf(sender).settings.pictures
  const wanted = theirs ?? internalsOf(agent).settings.pictures
  const pictures = wanted === undefined ? [] : picturesOf(outcome, wanted)
  return { origin: 'program', content: contentWith(content, pictures) }
}

/** Neither a model nor a person wrote it. */
function output(content: string): MessageInput {
  return { origin: 'program', content }
}

async function outcomeOf(
  blocks: readonly CodeBlock[],
  { isByMessage, ...where }: Place,
  { agent: { name: agent }, chat }: ReplyContext,
): Promise<Outcome> {
  await chat.emit({ type: 'code-start', agent, blocks })
  try {
    const { result, stateLost } = await runCode({
      ...where,
      blocks,
      signal: chat.signal,
      about: { saved: savedIn(chat, 'code') },
      onEvent: async (event) => {
        if (!isByMessage || !isAboutDecision(event)) await emitExecutionEvent(event, { agent, run: chat })
      },
    })
    await chat.emit({ type: 'code-end', agent, retryAttempt: 0, result, content: result.output })
    return stateLost === undefined ? result : { ...result, output: `${result.output}${stateLost}\n` }
  } catch (error) {
    if (chat.signal.aborted || isUndecided(error)) throw error
    // The conversation continues: the author may work without the executor, and a person can read the reason.
    const notice = executorFailed(error)
    await chat.emit({ type: 'notice', agent, notice })
    const result = FencedError.isInstance(error) ? error.result : undefined
    const output = `${result?.output ?? ''}The code could not be run: ${notice.message}\n`
    return { status: 'died', exitCode: result?.exitCode ?? 1, output, blocks: result?.blocks ?? [] }
  }
}

/** The blocks of the newest message that has code, among those that are searched; without programs that another member of the team has run. */
export function findCode(
  messages: readonly Message[],
  { executor: { capabilities }, lastNMessages }: Pick<CodeExecution, 'executor' | 'lastNMessages'>,
  chat?: ReplyChat,
): SharedBlocks | undefined {
  const count = lastNMessages === 'auto' ? trailingUserMessages(messages) : lastNMessages
  const searched = count === 0 ? [] : messages.slice(-count)
  for (const message of searched.toReversed()) {
    const blocks = message.metadata?.codeDenied === true ? [] : codeBlocksOf(blocksOf(message), capabilities)
    if (blocks.length === 0) continue
    return sharedBlocks(message, blocks, {
      programs: chat && programsIn(chat),
      isProgram: (block) => isProgram(block, {}, { capabilities }),
    })
  }
  return undefined
}

function programsIn(chat: ReplyChat): TeamPrograms | undefined {
  return chat instanceof ChatContext ? chat.programs : undefined
}

function trailingUserMessages(messages: readonly Message[]): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user')
}

/**
 * Returns the reply to a message with code: the exit code and the output in AutoGen's format, and the notices that report a loss.
 *
 * @param maxLength - Maximum length of the output, in UTF-16 code units.
 */
export function codeReply(
  { exitCode, output, blocks }: Pick<CodeResult, 'exitCode' | 'output' | 'blocks'>,
  maxLength: number,
): string {
  const shown = boundedText(output, { maxLength, bytesLeftOut: bytesLeftOutOf({ blocks }) })
  const outcome = exitCode === 0 ? 'execution succeeded' : 'execution failed'
  const text = `exitcode: ${exitCode} (${outcome})\nCode output: \n${shown}`
  return withLosses(
    text,
    blocks.flatMap(({ notices }) => notices),
  )
}

const programs = {
  languages: createLanguageTable()
    .rows.filter(({ kind }) => kind === 'run')
    .map(({ id }) => id),
}

/** Reports to the sender that its code was not run, in place of an empty message. */
export const noExecutorReply: ReplyFunction = stopsByItself(({ agent, messages }) => {
  const last = messages.at(-1)
  if (last?.role !== 'user' || !areCode(blocksOf(last), programs)) return undefined
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
