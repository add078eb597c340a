import { languages } from '@fenced/core/internal'
import { codeBlocksOf } from './code-blocks-of.ts'
import type { ReplyFunction } from './reply-function.ts'

const programs = { languages: languages.filter(({ kind }) => kind === 'run').map(({ id }) => id) }

/** Tells the sender that its code was not run, instead of an empty message that says nothing. */
export const noExecutorReply: ReplyFunction = ({ agent, messages }) => {
  const last = messages.at(-1)
  if (last?.role !== 'user' || codeBlocksOf(last.content, programs).length === 0) return undefined
  return {
    reply: `The code was not run: ${agent.name} has no code executor. Give it one with codeExecutionConfig: { executor }, or false if it is to run nothing.`,
  }
}
