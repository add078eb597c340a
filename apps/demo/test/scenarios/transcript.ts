import { Writable } from 'node:stream'
import type { AgentEvent } from '@fenced/agents'
import { consoleView } from '@fenced/terminal'

/** What a console shows of a conversation, and what it came to. */
export async function transcriptOf<Result>(
  chat: AsyncIterable<AgentEvent> & PromiseLike<Result>,
): Promise<{ readonly text: string; readonly result: Result }> {
  let text = ''
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const result = await consoleView(chat, { output })
  return { text, result }
}

const line = '-'.repeat(80)

/** A message as a transcript has it. */
export function said(sender: string, recipient: string, content: string): string {
  return `${sender} (to ${recipient}):\n\n${content}\n\n${line}\n`
}

/** A line that nobody says. */
export function banner(text: string): string {
  return `\n>>>>>>>> ${text}\n`
}

export const autoReply = banner('USING AUTO REPLY...')
export const noHumanInput = banner('NO HUMAN INPUT RECEIVED.')

/** What runs code in `language` says before. */
export function executing(language: string): string {
  return banner(`EXECUTING CODE BLOCK (inferred language is ${language})...`)
}

/** The reply of an agent whose code went well. */
export function succeeded(output: string): string {
  return `exitcode: 0 (execution succeeded)\nCode output: \n${output}`
}
