import { errorOfProgram } from '../../program-error/error-of-program.ts'
import type { BlockEnd } from '../block-end.ts'
import type { BlockOutcome } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import type { ProgramFiles } from '../files/program-files.ts'
import type { BlockRecorder } from '../output/block-recorder.ts'
import { diskLimitNotice } from './disk-limit-notice.ts'
import {
  htmlEntitiesNotice,
  noNetworkNotice,
  notebookCommandNotice,
  signalNotice,
  typescriptSyntaxNotice,
} from './failure-notices.ts'
import { outsideWorkDirNotice } from './outside-work-dir-notice.ts'

/** How much of stderr is searched for an error. */
const longestErrorBytes = 262_144

interface ExplainedBlock {
  readonly engine: EngineContext
  readonly recorder: BlockRecorder
  /** Index of the block in the call, counted from 0. */
  readonly blockIndex: number
}

/** Says what neither a model nor a program can see in the output of a program that failed. */
export function explainFailure(
  { block: { language, path, code }, lasting }: ProgramFiles,
  { end: { exitCode }, outcome }: { readonly end: BlockEnd; readonly outcome: BlockOutcome | undefined },
  { engine, recorder, blockIndex }: ExplainedBlock,
): void {
  const stderr = recorder.textOf('stderr')
  const program = {
    ...{ language: language.id, exitCode, path, file: lasting.file, blockIndex },
    stderr: recorder.tail('stderr', longestErrorBytes),
    directory: engine.driver.workDirectory?.path,
  }
  recorder.failed(errorOfProgram(program, outcome?.status === undefined ? outcome?.error : undefined))
  const { isolation, network } = engine.capabilities
  const notices = [
    network === 'none' ? (noNetworkNotice(stderr) ?? noNetworkNotice(recorder.textOf('stdout'))) : undefined,
    diskLimitNotice(stderr, engine.driver.limitsInForce ?? engine.driver.sandbox?.limitsInForce),
    isolation === 'none' ? undefined : outsideWorkDirNotice(stderr, engine.driver.workDirectory),
    language.id === 'python' && path !== '' ? notebookCommandNotice(stderr) : undefined,
    htmlEntitiesNotice(code, stderr),
    engine.earlierPrograms.undefinedNameNotice(language.id, stderr),
    language.id === 'typescript' ? typescriptSyntaxNotice(stderr) : undefined,
    signalNotice(exitCode),
  ]
  for (const notice of notices) if (notice !== undefined) recorder.notice(notice)
}
