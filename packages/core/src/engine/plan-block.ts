import type { CodeBlock } from '../code-block.ts'
import type { Notice } from '../code-result.ts'
import type { NoticeCode } from '../codes.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  blockName,
  dataMessage,
  noLanguageMessage,
  runsOnly,
  unknownLanguageMessage,
} from '../language/language-messages.ts'
import { languageNameInLabel } from '../language/language-table.ts'
import type { Language } from '../language/languages.ts'
import { languageName } from '../markdown/fence.ts'
import { visibleName } from '../text.ts'
import type { InvalidOutcome } from './driver.ts'
import type { EngineContext } from './engine-context.ts'
import { checkFileName, fileNameOfBlock, readFilenameDirective, withoutFirstLine } from './file-name.ts'

/** What is to be done with a block. */
export type Plan = RunPlan | SavePlan | SkipPlan | RefusePlan

/** `fileName` is the one that its first line asks for. */
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

/** `tellModel`: whether the reason belongs into what the model reads although nothing failed. */
export interface SkipPlan {
  readonly action: 'skip'
  readonly notice: Notice
  readonly tellModel: boolean
}

interface RefusePlan {
  readonly action: 'refuse'
  readonly notice: Notice
  readonly outcome: InvalidOutcome
}

/** Decides what becomes of a block, before anything is written or run. */
export function planBlock(block: CodeBlock, engine: EngineContext): Plan {
  if (block.closed === false) return unclosed(block)
  const language = engine.languages.find(block.language)
  if (language === undefined)
    return block.language === '' ? noLanguage(block) : unknownLanguage(block, engine)
  if (language.kind === 'run' && !engine.capabilities.languages.includes(language.id)) {
    return unsupportedLanguage(language, engine)
  }
  const workDir = engine.driver.workDirectory?.path
  return workDir === undefined ? planText(block, language) : planFile(block, language, { engine, workDir })
}

/** For a driver without files. */
function planText(block: CodeBlock, language: Language): Plan {
  if (language.kind !== 'run')
    return skip('not-run', `${blockName(block.line)} is ${language.id}, which is not run here.`, {
      ...lineOf(block),
      language: language.id,
    })
  return {
    action: 'run',
    language,
    code: block.code,
    fileName: undefined,
    ...meaningOfLabel(block, language),
  }
}

function planFile(
  block: CodeBlock,
  language: Language,
  { engine, workDir }: { engine: EngineContext; workDir: string },
): Plan {
  const written = fileNameOfBlock(block, engine.languages)
  if (written === undefined && language.kind === 'data') {
    return skip('data', dataMessage(block, language.id), { ...lineOf(block), language: language.id })
  }
  const checked = written === undefined ? undefined : checkFileName(written, workDir)
  if (checked !== undefined && 'refused' in checked) return badFileName(written, checked.refused, workDir)
  const fileName = checked?.name
  if (language.kind === 'run') {
    return { action: 'run', language, code: block.code, fileName, ...meaningOfLabel(block, language) }
  }
  // Data has no comments, or means something by its first line: a directive there is for us alone.
  const isForUs = language.kind === 'data' && readFilenameDirective(block.code, language) !== undefined
  const code = isForUs ? withoutFirstLine(block.code) : block.code
  const { extension } = meaningOfLabel(block, language)
  return { action: 'save', language, code, fileName, extension }
}

/** What a label says beyond its language. */
function meaningOfLabel(
  { language: name, info = '' }: CodeBlock,
  { id, extension, aliasExtensions = {}, substituteFor = [], ...others }: Language,
): Pick<RunPlan, 'extension' | 'notice'> {
  const label = languageNameInLabel(languageName(info), name, { id, extension, ...others })
  const meant = { extension: aliasExtensions[label] ?? extension }
  if (!substituteFor.includes(label)) return meant
  const message = `The block is labeled ${label}, and ${id} ran it. The two languages differ, for example in the index of the first element of an array. Write the program for ${id}, and label it ${id}.`
  return { ...meant, notice: { code: 'interpreter-substituted', message, data: { label, language: id } } }
}

/** Whether the model forgot the fence or its answer was cut off is not known here, so nothing is said about that. */
function unclosed({ line, almostClosed = 'The text ends before one.' }: CodeBlock): Plan {
  return refuse({
    code: 'unclosed',
    message: `${blockName(line)} has no closing fence and was not run. ${almostClosed} Send the whole block again, with its closing fence alone on the last line.`,
    data: lineOf({ line }),
  })
}

/** Unlabelled text that is not evidently a program is, most often, output that a model shows. */
function noLanguage(block: CodeBlock): Plan {
  const notice = { code: 'no-language', message: noLanguageMessage(block), data: lineOf(block) }
  return { action: 'skip', notice, tellModel: true }
}

function unknownLanguage({ language }: CodeBlock, { capabilities }: EngineContext): Plan {
  const message = unknownLanguageMessage(language, capabilities.languages)
  const data = { language, known: capabilities.languages.join(', ') }
  return refuse({ code: 'unknown-language', message, data }, exitCodes.notFound)
}

function unsupportedLanguage({ id }: Language, { name, capabilities }: EngineContext): Plan {
  const message = `${id} is not run by the executor "${name}". ${runsOnly(capabilities.languages)}`
  const data = { language: id, executor: name, known: capabilities.languages.join(', ') }
  return refuse({ code: 'unsupported-language', message, data }, exitCodes.notFound)
}

function badFileName(written: string | undefined, why: string, workDir: string): Plan {
  return refuse({
    code: 'file-name',
    message: `The file name "${visibleName(written ?? '')}" cannot be used: ${why}. It must stay in the working directory ${workDir}. Nothing was written.`,
    data: { path: written ?? '', directory: workDir },
  })
}

/** The line of a block as data of a notice; empty where the block was in no text. */
function lineOf({ line }: { readonly line?: number | undefined }): Record<string, string> {
  return line === undefined ? {} : { line: `${line}` }
}

function skip(code: NoticeCode, message: string, data: Readonly<Record<string, string>>): Plan {
  return { action: 'skip', notice: { code, message, data }, tellModel: false }
}

function refuse(notice: Notice, exitCode: InvalidOutcome['exitCode'] = exitCodes.notExecutable): Plan {
  return { action: 'refuse', notice, outcome: { status: 'invalid', exitCode } }
}
