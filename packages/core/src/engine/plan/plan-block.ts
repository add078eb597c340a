import { visibleName } from '@fenced/errors/text'
import { type CodeBlock, type Language, labelOf } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../../code-executor.ts'
import {
  checkFileName,
  fileNameOfBlock,
  readFilenameDirective,
  withoutFirstLine,
} from '../../language/file-name.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import type { EngineContext } from '../engine-context.ts'
import { moduleLabel } from './module-kind.ts'
import { type BlockDecision, blockName, decideBlock, lineOf } from './what-runs.ts'

/** The decision about a block. */
export type Plan = RunPlan | SavePlan | SkipPlan | RefusePlan

/** `fileName` is the name in its first line. */
export interface RunPlan {
  readonly action: 'run'
  readonly language: Language
  readonly code: string
  readonly fileName: string | undefined
  /** Of the file of a program that names none, without the dot. */
  readonly extension: string
  /** Says that another language runs the block than its label names. */
  readonly notice?: Notice
}

export interface SavePlan {
  readonly action: 'save'
  readonly language: Language
  readonly code: string
  readonly fileName: string | undefined
  readonly extension: string
}

export interface SkipPlan {
  readonly action: 'skip'
  readonly notice: Notice
}

interface RefusePlan {
  readonly action: 'refuse'
  readonly notice: Notice
}

/** The parts of an {@link EngineContext} that plans depend on. */
interface PlanContext extends Pick<EngineContext, 'name' | 'languages'> {
  readonly capabilities: Pick<ExecutorCapabilities, 'languages'>
  readonly driver: { readonly workDirectory?: { readonly path: string } }
}

/** Decides what becomes of a block, before anything is written or run. */
export function planBlock(block: CodeBlock, engine: PlanContext): Plan {
  if (block.closed === false) return unclosed(block)
  if (!block.code.isWellFormed()) return notEncodable(block)
  const { languages, capabilities } = engine
  const decision = decideBlock(block, { languages, runs: capabilities.languages })
  if (decision.action === 'skip') return skip(decision.notice, engine)
  const workDir = engine.driver.workDirectory?.path
  return workDir === undefined ? planText(block, decision) : planFile(block, decision, { engine, workDir })
}

function skip(notice: Notice, { name: executor }: PlanContext): SkipPlan {
  const isSupported = notice.code !== 'unsupported-language'
  return { action: 'skip', notice: isSupported ? notice : { ...notice, data: { ...notice.data, executor } } }
}

type Decided = Exclude<BlockDecision, { readonly action: 'skip' }>

/** For a driver without files. */
function planText(block: CodeBlock, { action, language }: Decided): Plan {
  if (action !== 'run') {
    const message = `${blockName(block.line)} is ${language.id}, which is not run here.`
    const data = { ...lineOf(block), language: language.id }
    return { action: 'skip', notice: { code: 'not-run', message, data } }
  }
  return {
    action,
    language,
    code: block.code,
    fileName: undefined,
    ...meaningOfLabel(block, language),
  }
}

function planFile(
  block: CodeBlock,
  decision: Decided,
  { engine, workDir }: { engine: PlanContext; workDir: string },
): Plan {
  const { action, language } = decision
  const written = fileNameOfBlock(block, engine.languages)
  if (written === undefined && action === 'data') return { action: 'skip', notice: decision.notice }
  const checked = written === undefined ? undefined : checkFileName(written, workDir)
  if (checked !== undefined && 'refused' in checked) return badFileName(written, checked.refused, workDir)
  if (action === 'data' && block.almostClosed !== undefined) return uncertainEnd(block, block.almostClosed)
  const fileName = checked?.name
  if (action === 'run') {
    const label = moduleLabel(block.code, language.id)
    return { action, language, code: block.code, fileName, ...meaningOfLabel(block, language, label) }
  }
  // Data has no comments, or means something by its first line: a directive there is for us alone.
  const isForUs = action === 'data' && readFilenameDirective(block.code, language) !== undefined
  const code = isForUs ? withoutFirstLine(block.code) : block.code
  const { extension } = meaningOfLabel(block, language)
  return { action: 'save', language, code, fileName, extension }
}

/**
 * Returns the file extension for a label, or for another one where the label does not choose one, and a notice where the interpreter of
 * a similar language runs the block.
 */
function meaningOfLabel(
  block: CodeBlock,
  language: Language,
  otherwise = '',
): Pick<RunPlan, 'extension' | 'notice'> {
  const { id, extension, aliasExtensions = {}, substituteFor = [] } = language
  const { language: label } = labelOf(block, language)
  const meant = { extension: aliasExtensions[label] ?? aliasExtensions[otherwise] ?? extension }
  if (!substituteFor.includes(label)) return meant
  const message = `The block is labeled ${label}, but ${id} ran it. The two languages differ, for example in the index of an array’s first element. Write the program for ${id}, and label it ${id}.`
  return { ...meant, notice: { code: 'interpreter-substituted', message, data: { label, language: id } } }
}

/** The model forgot the fence, or its answer was cut off: the message names neither. */
function unclosed({ line, almostClosed = 'The text ends before one.', tagAbove }: CodeBlock): Plan {
  return refuse({
    code: 'unclosed',
    message: `${blockName(line)} has no closing fence and was not run. ${tagAbove ?? almostClosed} Send the whole block again, with its closing fence alone on the last line.`,
    data: lineOf({ line }),
  })
}

/** A file would have another character in its place, and a kernel would stop at it. */
function notEncodable({ line }: CodeBlock): Plan {
  return refuse({
    code: 'invalid',
    message: `${blockName(line)} was not run. It contains half a surrogate pair (U+D800 to U+DFFF), which UTF-8 cannot encode. Write the whole character, or an escape such as \\ud83d in a string.`,
    data: lineOf({ line }),
  })
}

/** A document of which perhaps only a half is there is worse than none. */
function uncertainEnd(block: CodeBlock, why: string): SkipPlan {
  const message = `${blockName(block.line)} was not saved. ${why} Send it again with a longer fence around it, for example four backticks.`
  return { action: 'skip', notice: { code: 'unclosed', message, data: lineOf(block) } }
}

function badFileName(written: string | undefined, why: string, workDir: string): Plan {
  return refuse({
    code: 'file-name',
    message: `The file name "${visibleName(written ?? '')}" cannot be used: ${why}. It must stay in the working directory ${workDir}. Nothing was written.`,
    data: { path: written ?? '', directory: workDir },
  })
}

function refuse(notice: Notice): Plan {
  return { action: 'refuse', notice }
}
