import { type CodeBlock, type ExecutorCapabilities, extractCodeBlocks } from '@fenced/core'
import { languageId, languages, notRunMessage } from '@fenced/core/internal'

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

/** Why nothing of a message is run that has blocks, for its writer; `undefined` where something is, or nothing could be. */
export function whyNothingRuns(
  content: string,
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): string | undefined {
  if (codeBlocksOf(content, { languages: runs }).length > 0) return undefined
  return nothingRuns(extractCodeBlocks(content), runs)
}

/** What a model reads of blocks none of which is run; `undefined` where there are none. */
function nothingRuns(blocks: readonly CodeBlock[], runs: readonly string[]): string | undefined {
  if (blocks.length === 0) return undefined
  const reasons = new Set(blocks.map((block) => notRunMessage(block, runs)))
  return ['No code was run.', ...reasons].join('\n')
}

function kindOf(
  { language }: CodeBlock,
  runs: readonly string[],
): 'run' | 'save' | 'data' | 'unknown' | 'none' {
  if (language === '') return 'none'
  const id = languageId(language)
  return runs.includes(id) ? 'run' : (languages.find((row) => row.id === id)?.kind ?? 'unknown')
}

const documents: ReadonlySet<string> = new Set(
  languages.filter(({ kind }) => kind !== 'run').map(({ id }) => id),
)

interface Supported {
  readonly supportedLanguages?: readonly string[] | undefined
}

interface Target {
  readonly capabilities: Pick<ExecutorCapabilities, 'languages'>
}

/** The programs in a text that the agent is to run: those in its languages, with the documents and data beside them. */
export function supportedBlocks(text: string, settings: Supported, target: Target): CodeBlock[] {
  const programs = new Set(idsOf(settings, target))
  const blocks = extractCodeBlocks(text).map((block) => ({ block, id: languageId(block.language) }))
  if (!blocks.some(({ id }) => programs.has(id))) return []
  return blocks.filter(({ id }) => programs.has(id) || documents.has(id)).map(({ block }) => block)
}

/** Why nothing of a text is run in which there are blocks and no program; `undefined` where there are no blocks. */
export function whyUnsupported(text: string, settings: Supported, target: Target): string | undefined {
  return nothingRuns(extractCodeBlocks(text), idsOf(settings, target))
}

function idsOf({ supportedLanguages }: Supported, { capabilities }: Target): string[] {
  return (supportedLanguages ?? capabilities.languages).map((name) => languageId(name))
}
