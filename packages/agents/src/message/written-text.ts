import { hasMadeText, isMadeText } from './made-parts.ts'
import { interruptionOf, type Message, type MessageOrigin, textIn, textOf } from './message.ts'
import { withoutName } from './named-messages.ts'

/**
 * Returns the text of a message without the output of programs: only what a model, a person or the application wrote. Everything that
 * decides something reads this text: whether a conversation ends, and which code runs.
 */
export function writtenTextOf(message: Message): string {
  const { content, origin } = withoutName(message)
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
