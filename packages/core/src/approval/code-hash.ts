import { createHash } from 'node:crypto'
import type { CodeBlock } from '../code-block.ts'
import type { ApprovalTarget } from './approval-request.ts'

/** SHA-256 over the languages and the code of blocks, in hex: the same for the same programs in the same order only. */
export function codeHash(blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]): string {
  return sha256(blocks.map(({ language, code }) => [language, code]))
}

/** SHA-256 over where code would run, in hex: the executor, what isolates it, the network, the directory, the limits. */
export function targetHash({ particulars, description: _words, ...target }: ApprovalTarget): string {
  return sha256([sortedEntries(target), sortedEntries(particulars)])
}

function sortedEntries(record: object): [string, unknown][] {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function sha256(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex')
}
