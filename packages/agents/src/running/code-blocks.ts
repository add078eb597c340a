import { type CodeBlock, type ExecutorCapabilities, extractCodeBlocks } from '@fenced/core'
import { decideBlock, isWrongLanguage, languageId } from '@fenced/core/internal'

/**
 * The blocks of a message that are given to an executor, which skips and names those that it does not run. None when the
 * message has only data and text.
 */
export function codeBlocksOf(
  content: string,
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): CodeBlock[] {
  const blocks = extractCodeBlocks(content)
  const isCode = blocks.some((block) => {
    const decision = decideBlock(block, { runs })
    return decision.action === 'skip' ? isWrongLanguage(decision.notice) : decision.action !== 'data'
  })
  return isCode ? blocks : []
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
  return ['No code was run.', ...whyNotRun(blocks, runs)].join('\n')
}

/** The reasons, each once. */
function whyNotRun(blocks: readonly CodeBlock[], runs: readonly string[]): string[] {
  const decisions = blocks.map((block) => ({ block, decision: decideBlock(block, { runs }) }))
  const reasons = decisions.map(({ block: { line }, decision }) =>
    'notice' in decision
      ? decision.notice.message
      : `${line === undefined ? 'The block' : `The block in line ${line}`} is ${decision.language.id}, and was not saved without a program.`,
  )
  return [...new Set(reasons)]
}

interface Supported {
  readonly supportedLanguages?: readonly string[] | undefined
}

interface Target {
  readonly capabilities: Pick<ExecutorCapabilities, 'languages'>
}

/**
 * The blocks of a text in which the agent finds a program: all but the programs that its executor would run, and the agent
 * was told not to run ({@link withheldText} names those).
 */
export function supportedBlocks(text: string, settings: Supported, target: Target): CodeBlock[] {
  const runs = idsOf(settings, target)
  const blocks = extractCodeBlocks(text)
  if (!blocks.some((block) => decideBlock(block, { runs }).action === 'run')) return []
  return blocks.filter((block) => !isWithheld(block, settings, target))
}

/** What a model reads about the programs that the agent was told not to run; empty where there are none. */
export function withheldText(text: string, settings: Supported, target: Target): string {
  const withheld = extractCodeBlocks(text).filter((block) => isWithheld(block, settings, target))
  return whyNotRun(withheld, idsOf(settings, target))
    .map((reason) => `${reason}\n`)
    .join('')
}

/** Why nothing of a text is run in which there are blocks and no program; `undefined` where there are no blocks. */
export function whyUnsupported(text: string, settings: Supported, target: Target): string | undefined {
  return nothingRuns(extractCodeBlocks(text), idsOf(settings, target))
}

function isWithheld(block: CodeBlock, settings: Supported, { capabilities }: Target): boolean {
  const isRun = (runs: readonly string[]) => decideBlock(block, { runs }).action === 'run'
  return isRun(capabilities.languages) && !isRun(idsOf(settings, { capabilities }))
}

function idsOf({ supportedLanguages }: Supported, { capabilities }: Target): string[] {
  return (supportedLanguages ?? capabilities.languages).map((name) => languageId(name))
}
