import { createHash } from 'node:crypto'
import { type CodeBlock, createLanguageTable, labelOf } from '@fenced/markdown'
import { fileNameOfBlock } from '../language/file-name.ts'
import type { ApprovalTarget } from './approval-request.ts'

/** A program as an approval holds for it: also its file name counts, because later programs can import the file. */
export interface ApprovedProgram {
  readonly language: string
  readonly code: string
  /** The file that it is kept in; absent where it has none. */
  readonly fileName?: string | undefined
}

/** The programs of blocks. File names come from the blocks, not from the request. */
export function programsOf(blocks: readonly CodeBlock[]): ApprovedProgram[] {
  return blocks.map((block) => {
    const { code } = block
    const language = languageOf(block)
    const fileName = fileNameOfBlock(block) ?? fileNameOfUnknown(block)
    return { language, code, ...(fileName === undefined ? {} : { fileName }) }
  })
}

/** A label can mean more than the language: a block with the label `mjs` is another program than one with `cjs`. */
function languageOf(block: CodeBlock): string {
  const language = createLanguageTable().find(block.language)
  if (language === undefined) return block.language
  const { language: label } = labelOf(block, language)
  return language.aliasExtensions?.[label] === undefined ? block.language : label
}

/** SHA-256 over languages, code and file names of blocks, in hex: the same for the same programs in the same order only. */
export function codeHash(blocks: readonly CodeBlock[]): string {
  return sha256(
    programsOf(blocks).map(({ language, code, fileName }) =>
      fileName === undefined ? [language, code] : [language, code, fileName],
    ),
  )
}

/** A label of a language that is not built in: the executor may know the language, and keep the program under this name. */
function fileNameOfUnknown(block: CodeBlock): string | undefined {
  const { written } = labelOf(block)
  return createLanguageTable().find(block.language) !== undefined ||
    written === block.language ||
    written === ''
    ? undefined
    : written
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
