import { text } from 'node:stream/consumers'
import { visibleJson } from '@fenced/errors/text'
import { extractCodeBlocks, languageId } from '@fenced/markdown'
import { forStream, readText } from './streams.ts'
import { UserError } from './user-error.ts'

export interface ExtractOptions {
  readonly language?: string
  readonly block?: number
  readonly json: boolean
  readonly reasoning: boolean
}

/** Prints the code blocks of a text. */
export async function extract(
  path: string,
  { language, block, json, reasoning }: ExtractOptions,
): Promise<number> {
  const markdown = await text(readText(path))
  const all = extractCodeBlocks(markdown, { startsInReasoning: reasoning }).filter(
    (each) => language === undefined || each.language === languageId(language),
  )
  const blocks = block === undefined ? all : all.slice(block - 1, block)
  if (block !== undefined && blocks.length === 0)
    throw new UserError(`Block ${block} not found: the number of blocks in ${path} is ${all.length}.`)
  const printed = json ? visibleJson(blocks, 2) : blocks.map(({ code }) => code).join('\n\n')
  if (json || blocks.length > 0) process.stdout.write(`${forStream(process.stdout, printed)}\n`)
  return blocks.length === 0 ? 1 : 0
}
