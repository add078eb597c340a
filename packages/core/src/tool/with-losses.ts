import { saysLoss } from '@fenced/errors'
import type { Notice } from '../vocabulary/code-result.ts'
import { boundedText } from './bounded-text.ts'

/** Limit on the notices in a text for a model, in characters: a program can cause many. */
const maxLength = 4_000

/**
 * Appends the notices that report a loss to a text for a model, after an empty line. Notices that are in the text already are not
 * repeated: if a program failed, its output contains its notices.
 */
export function withLosses(text: string, notices: readonly Pick<Notice, 'code' | 'message'>[]): string {
  const messages = notices.filter(({ code }) => saysLoss(code)).map(({ message }) => message.trimEnd())
  const missing = [...new Set(messages)].filter((message) => !text.includes(message))
  if (missing.length === 0) return text
  return `${text.trimEnd()}\n\n${boundedText(missing.join('\n'), { maxLength })}\n`
}
