import { type CodeBlock, type ExecutorCapabilities, extractCodeBlocks } from '@fenced/core'
import { languageId, languages } from '@fenced/core/internal'
import { nothingRuns } from '../reply/code-blocks-of.ts'
import type { CodeExecutorAgentSettings } from './options.ts'

const documents: ReadonlySet<string> = new Set(
  languages.filter(({ kind }) => kind !== 'run').map(({ id }) => id),
)

type Supported = Pick<CodeExecutorAgentSettings, 'supportedLanguages'>

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
