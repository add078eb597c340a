import {
  type CodeBlock,
  type ExecutorCapabilities,
  extractCodeBlocks,
  languageId,
  languages,
} from '@fenced/core'

/**
 * The blocks of a message that are given to an executor; none when the message only quotes. Programs and documents of
 * languages that are known count, with the data beside them; what bears another label is a quote then. Where nothing
 * else is there, blocks of unknown languages are given, so that their writer learns which ones are run.
 */
export function codeBlocksOf(
  content: string,
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): CodeBlock[] {
  const blocks = extractCodeBlocks(content).map((block) => ({ block, kind: kindOf(block, runs) }))
  const isCode = blocks.some(({ kind }) => kind === 'run' || kind === 'save')
  return blocks
    .filter(({ kind }) => (isCode ? kind !== 'unknown' && kind !== 'none' : kind === 'unknown'))
    .map(({ block }) => block)
}

function kindOf(
  { language }: CodeBlock,
  runs: readonly string[],
): 'run' | 'save' | 'data' | 'unknown' | 'none' {
  if (language === '') return 'none'
  const id = languageId(language)
  return runs.includes(id) ? 'run' : (languages.find((row) => row.id === id)?.kind ?? 'unknown')
}
