import type { CodeBlock } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'
import type { Message } from '../message/message.ts'

/** The programs that a person has decided to run with an empty message, by the messages of the turn. */
const decided = new WeakMap<readonly Message[], string>()

/** Keeps the decision for this turn: the next question about these programs would ask the same person the same thing. */
export function decideByMessage(messages: readonly Message[], blocks: readonly CodeBlock[]): void {
  decided.set(messages, codeHash(blocks))
}

/** Whether exactly these programs were decided in this turn. */
export function isDecided(messages: readonly Message[], blocks: readonly CodeBlock[]): boolean {
  return decided.get(messages) === codeHash(blocks)
}
