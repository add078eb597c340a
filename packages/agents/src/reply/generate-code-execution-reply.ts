import { boundedText, type CodeBlock, type CodeExecutor, type CodeResult, FencedError } from '@fenced/core'
import { internalsOf } from '../agent/agent-internals.ts'
import type { ReplyChat } from '../chat/chat-context.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { codeBlocksOf } from './code-blocks-of.ts'
import type { ReplyFunction } from './reply-function.ts'

/** Runs the code of the newest message with a program in it, and replies with what came of it. */
export const generateCodeExecutionReply: ReplyFunction = async ({ agent, messages, chat }) => {
  const { codeExecution } = internalsOf(agent)
  if (codeExecution === undefined) return undefined
  const { executor, lastNMessages, maxReplyLength } = codeExecution
  const blocks = findCode(messages, lastNMessages, executor)
  if (blocks === undefined) return undefined
  await chat.emit({ type: 'code-start', agent: agent.name, blocks })
  try {
    const result = await execute(blocks, { executor, agent: agent.name, chat })
    await chat.emit({ type: 'code-end', agent: agent.name, result })
    return { reply: codeReply(result, maxReplyLength) }
  } catch (error) {
    if (chat.signal.aborted) throw error
    // The conversation goes on: its writer may do without the place, and a person reads why.
    const { code, message, result } = describeFailure(error)
    await chat.emit({ type: 'notice', agent: agent.name, notice: { code, message } })
    const output = `${result?.output ?? ''}The code could not be run: ${message}\n`
    return { reply: codeReply({ exitCode: result?.exitCode ?? 1, output }, maxReplyLength) }
  }
}

/** The blocks of the newest message that has code, among those that are searched. */
export function findCode(
  messages: readonly ChatMessage[],
  lastNMessages: number | 'auto',
  { capabilities }: CodeExecutor,
): CodeBlock[] | undefined {
  const count = lastNMessages === 'auto' ? trailingUserMessages(messages) : lastNMessages
  const searched = count === 0 ? [] : messages.slice(-count)
  for (const { content } of searched.toReversed()) {
    const blocks = codeBlocksOf(content, capabilities)
    if (blocks.length > 0) return blocks
  }
  return undefined
}

function trailingUserMessages(messages: readonly ChatMessage[]): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user')
}

interface CodeRun {
  readonly executor: CodeExecutor
  readonly agent: string
  readonly chat: ReplyChat
}

async function execute(
  blocks: readonly CodeBlock[],
  { executor, agent, chat }: CodeRun,
): Promise<CodeResult> {
  const execution = executor.execute(blocks, { signal: chat.signal })
  for await (const event of execution) {
    if (event.type !== 'execution-end') await chat.emit({ type: 'code', agent, event })
  }
  return await execution
}

function describeFailure(error: unknown): Pick<FencedError, 'code' | 'message' | 'result'> {
  if (FencedError.isInstance(error)) return error
  return { code: 'EXECUTOR_FAILED', message: error instanceof Error ? error.message : String(error) }
}

/** What the writer of the code reads, in AutoGen's form. */
function codeReply({ exitCode, output }: Pick<CodeResult, 'exitCode' | 'output'>, maxLength: number): string {
  const outcome = exitCode === 0 ? 'execution succeeded' : 'execution failed'
  return `exitcode: ${exitCode} (${outcome})\nCode output: \n${boundedText(output, { maxLength })}`
}
