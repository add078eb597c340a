import {
  type CodeBlock,
  type ExecutorCapabilities,
  extractCodeBlocks,
  languageId,
  languages,
} from '@fenced/core'
import type { CodeExecutorAgentSettings } from './options.ts'

const documents: ReadonlySet<string> = new Set(
  languages.filter(({ kind }) => kind !== 'run').map(({ id }) => id),
)

/** The programs in a text that the agent is to run: those in its languages, with the documents and data beside them. */
export function supportedBlocks(
  text: string,
  { supportedLanguages }: Pick<CodeExecutorAgentSettings, 'supportedLanguages'>,
  { capabilities }: { readonly capabilities: Pick<ExecutorCapabilities, 'languages'> },
): CodeBlock[] {
  const programs = new Set((supportedLanguages ?? capabilities.languages).map((name) => languageId(name)))
  const blocks = extractCodeBlocks(text).map((block) => ({ block, id: languageId(block.language) }))
  if (!blocks.some(({ id }) => programs.has(id))) return []
  return blocks.filter(({ id }) => programs.has(id) || documents.has(id)).map(({ block }) => block)
}
