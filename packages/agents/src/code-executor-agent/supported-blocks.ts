import { type CodeBlock, type CodeExecutor, extractCodeBlocks, languageId } from '@fenced/core'
import type { CodeExecutorAgentSettings } from './options.ts'

/** The programs in a text that the agent is to run: those in its languages. */
export function supportedBlocks(
  text: string,
  { supportedLanguages }: Pick<CodeExecutorAgentSettings, 'supportedLanguages'>,
  { capabilities }: CodeExecutor,
): CodeBlock[] {
  const ids = new Set((supportedLanguages ?? capabilities.languages).map((name) => languageId(name)))
  return extractCodeBlocks(text).filter(({ language }) => ids.has(languageId(language)))
}
