import { type CodeBlock, type ExecutorCapabilities, extractCodeBlocks } from '@fenced/core'
import { decideBlock, isWrongLanguage } from '@fenced/core/internal'
import type { Message } from '../message/message.ts'
import { writtenTextOf } from '../message/written-text.ts'

/** What is known of a text that a model wrote. See `MessageMetadata`. */
export interface Written {
  readonly isCut?: boolean | undefined
  readonly startsInReasoning?: boolean | undefined
}

/** The blocks of a text. A block without an end says so where the text was cut off. */
export function blocksIn(text: string, { isCut, startsInReasoning }: Written = {}): CodeBlock[] {
  const blocks = extractCodeBlocks(text, { startsInReasoning: startsInReasoning === true })
  if (isCut !== true) return blocks
  return blocks.map((block) => (block.closed === false ? { ...block, almostClosed: wasCut } : block))
}

const wasCut = 'The answer was cut off at its token limit.'

/** The blocks that a model or a person wrote; none of those that a program printed. */
export function blocksOf(message: Message): CodeBlock[] {
  return blocksIn(writtenTextOf(message), message.metadata)
}

/** Whether an executor has something to do with one of the blocks, or their writer expects it to. */
export function areCode(
  blocks: readonly CodeBlock[],
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): boolean {
  return blocks.some((block) => {
    const decision = decideBlock(block, { runs })
    return decision.action === 'skip' ? isWrongLanguage(decision.notice) : decision.action !== 'data'
  })
}

/**
 * The blocks that are given to an executor, which skips and names those that it does not run. None where there are only data and
 * text.
 */
export function codeBlocksOf(
  blocks: readonly CodeBlock[],
  capabilities: Pick<ExecutorCapabilities, 'languages'>,
): readonly CodeBlock[] {
  return areCode(blocks, capabilities) ? blocks : []
}

/** Why none of the blocks is run, for their writer; `undefined` where one is, or there are none. */
export function noRunnableCode(
  blocks: readonly CodeBlock[],
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): string | undefined {
  return areCode(blocks, { languages: runs }) ? undefined : nothingRuns(blocks, runs)
}

/** Whether there are blocks, and all of them are data. */
export function areOnlyData(blocks: readonly CodeBlock[]): boolean {
  return blocks.length > 0 && blocks.every(isData)
}

/** Whether one of the blocks is a program in a built-in language. */
export function holdPrograms(blocks: readonly CodeBlock[]): boolean {
  return blocks.some((block) => {
    const decision = decideBlock(block, { runs: [] })
    return decision.action === 'skip' && decision.notice.code === 'unsupported-language'
  })
}

function isData(block: CodeBlock): boolean {
  if (block.language !== '') return decideBlock(block, { runs: [] }).action === 'data'
  try {
    return typeof JSON.parse(block.code) === 'object'
  } catch {
    return false
  }
}

/** Text for the model about blocks that do not run; `undefined` without blocks. */
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
 * Blocks of a message that contains a program, without programs that the executor supports but the agent is configured not to
 * run ({@link withheldText} names those).
 */
export function supportedBlocks(
  blocks: readonly CodeBlock[],
  settings: Supported,
  target: Target,
): CodeBlock[] {
  const runs = runsOf(settings, target)
  if (!blocks.some((block) => decideBlock(block, { runs }).action === 'run')) return []
  return blocks.filter((block) => !isWithheld(block, settings, target))
}

/** Text for the model about programs that the agent is configured not to run; empty without programs. */
export function withheldText(blocks: readonly CodeBlock[], settings: Supported, target: Target): string {
  const withheld = blocks.filter((block) => isWithheld(block, settings, target))
  return whyNotRun(withheld, runsOf(settings, target))
    .map((reason) => `${reason}\n`)
    .join('')
}

/** Why none of the blocks is run, where no program is among them; `undefined` where there are no blocks. */
export function whyUnsupported(
  blocks: readonly CodeBlock[],
  settings: Supported,
  target: Target,
): string | undefined {
  return nothingRuns(blocks, runsOf(settings, target))
}

export function isProgram(block: CodeBlock, settings: Supported, target: Target): boolean {
  return decideBlock(block, { runs: runsOf(settings, target) }).action === 'run'
}

function isWithheld(block: CodeBlock, settings: Supported, { capabilities }: Target): boolean {
  const isRun = (runs: readonly string[]) => decideBlock(block, { runs }).action === 'run'
  return isRun(capabilities.languages) && !isRun(runsOf(settings, { capabilities }))
}

function runsOf({ supportedLanguages }: Supported, { capabilities }: Target): readonly string[] {
  return supportedLanguages ?? capabilities.languages
}
