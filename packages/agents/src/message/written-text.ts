import { hasMadeText, isMadeText } from './made-parts.ts'
import { interruptionOf, type Message, type MessageOrigin, textIn, textOf } from './message.ts'

/**
 * Returns the text of a message without the output of programs: only what a model, a person or the application wrote. Everything that
 * decides something reads this text: whether a conversation ends, and which code runs.
 */
export function writtenTextOf(message: Message): string {
  const { content, origin } = message
  if (origin === 'program') return ''
  if (message.role === 'tool') return interruptionOf(message) ?? ''
  return typeof content === 'string'
    ? content
    : textIn(content.filter((part) => !isMadeText(part)) as typeof content)
}

/** The origin of a message's whole text: a program, if a part of the text is a program's. */
export function originOf(message: Message): MessageOrigin {
  return hasMadeText(message) ? 'program' : message.origin
}

/** Whether an application's function returned a program's text, or a part of it, as its own text. */
export function copiesOutput(text: string, outputs: readonly string[]): boolean {
  const copy = text.trim()
  if (copy === '') return false
  return outputs.some(
    (output) => output.trim() !== '' && (copy.includes(output.trim()) || output.includes(copy)),
  )
}

/** The texts among messages that programs wrote. */
export function outputsIn(messages: readonly Message[]): string[] {
  return messages.filter((message) => originOf(message) === 'program').map(textOf)
}

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
