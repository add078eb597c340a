import { createHash } from 'node:crypto'
import type { CodeBlock } from '@fenced/core'

/** SHA-256 over the languages and the code of blocks, in hex: the same for the same programs in the same order only. */
export function codeHash(blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]): string {
  const programs = blocks.map(({ language, code }) => [language, code])
  return createHash('sha256').update(JSON.stringify(programs)).digest('hex')
}
