import type { Carryover } from '../agent/agent.ts'
import { type MessageInput, textIn, withText } from '../message/message.ts'

/** As a list of texts. */
export function carryoverTexts(carryover: Carryover | undefined): readonly string[] {
  if (carryover === undefined || carryover === '') return []
  if (typeof carryover === 'string') return [carryover]
  return carryover.map((item) => (typeof item === 'string' ? item : textIn(item.content)))
}

/** A first message with what is carried over behind it, in AutoGen's form. */
export function withCarryover(message: MessageInput, texts: readonly string[]): MessageInput {
  if (texts.length === 0) return message
  const context = `\nContext: \n${texts.join('\n')}`
  return typeof message === 'string'
    ? message + context
    : withText(message, textIn(message.content) + context)
}
