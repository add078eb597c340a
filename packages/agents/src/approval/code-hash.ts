import { createHash } from 'node:crypto'
import type { CodeBlock } from '@fenced/core'
import type { ApprovalRequest } from './approval-request.ts'

/** SHA-256 over the languages and the code of blocks, in hex: the same for the same programs in the same order only. */
export function codeHash(blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]): string {
  return sha256(blocks.map(({ language, code }) => [language, code]))
}

/** SHA-256 over where code would run, as a request shows it, in hex. */
export function placeHash({ particulars, ...place }: ApprovalRequest['place']): string {
  return sha256([sortedEntries(place), sortedEntries(particulars)])
}

/** SHA-256 over code and the place that it would run in, in hex: what an answer for this exact code holds for. */
export function codeInPlaceHash({ codeHash: hash, place }: ApprovalRequest): string {
  return sha256([hash, placeHash(place)])
}

function sortedEntries(record: object): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

function sha256(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex')
}
