import { type Message, textOf } from './message.ts'
import { writtenTextOf } from './written-text.ts'

/** Nothing but the word, as models write it: alone, in bold, with a dot. */
const termination = /^[\s*_`]*TERMINATE[\s*_`.!]*$/

/**
 * Returns whether a message ends the conversation: the last line of the text that a model or a person wrote is only TERMINATE. AutoGen
 * compares the whole text, so a period, a line break or a farewell prevents the match.
 *
 * @param given - A message, or a line that a model or a person wrote.
 */
export function endsWithTermination(given: string | Message): boolean {
  return termination.test(lastLine(typeof given === 'string' ? given : writtenTextOf(given)))
}

/** The text of a message without the line that ends the conversation; the word within a sentence stays. */
export function withoutTermination(message: Message): string {
  const text = textOf(message)
  if (!endsWithTermination(message)) return text
  const end = text.trimEnd()
  return end.slice(0, end.length - lastLine(end).length).trimEnd()
}

function lastLine(content: string): string {
  const text = content.trimEnd()
  return text.slice(text.lastIndexOf('\n') + 1)
}
