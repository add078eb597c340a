import type { CodeBlock } from '../code-block.ts'
import type { BlockResult } from '../code-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { FileRefusedError } from '../work-directory/work-directory.ts'
import { BlockReport } from './block-report.ts'
import { stopped } from './drive.ts'
import type { EngineContext } from './engine-context.ts'
import type { EventQueue } from './event-queue.ts'
import { planBlock, type RefusePlan, type SkipPlan } from './plan-block.ts'
import { type RanBlock, runProgram } from './run-program.ts'
import { saveDocument } from './save-document.ts'
import { StopSwitch } from './stop-switch.ts'

/** One block of one call. */
export interface BlockTask {
  readonly block: CodeBlock
  readonly index: number
  readonly events: EventQueue
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Takes one block from its text to its result. */
export async function runBlock(place: EngineContext, task: BlockTask): Promise<RanBlock> {
  using stop = new StopSwitch(task.signal)
  const report = new BlockReport({
    ...task,
    options: place.options,
    workDirectory: place.driver.workDirectory,
    onOutputLimit: () => {
      if (place.options.onOutputLimit === 'kill') stop.stop('output-limit')
    },
  })
  const plan = planBlock(task.block, place)
  switch (plan.action) {
    case 'skip':
      return ranNothing(skipped(report, plan))
    case 'refuse':
      return ranNothing(refused(report, plan))
  }
  const context = { place, report, stop, timeoutMs: task.timeoutMs }
  if (stop.cause !== undefined) return ranNothing(report.finish(stopped(stop.cause, context)))
  try {
    return plan.action === 'save'
      ? ranNothing(await saveDocument(plan, report, place))
      : await runProgram(plan, context)
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw placeFailed(report, error)
    const notice = { code: 'file-name', message: `${error.message} Nothing was written.` }
    return ranNothing(refused(report, { notice, exitCode: exitCodes.notExecutable }))
  }
}

/** The place is at fault, not the code: `cause` says how, `ran` what the block had done before. */
export class PlaceFailure extends Error {
  readonly ran: RanBlock

  constructor(cause: unknown, ran: RanBlock) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.ran = ran
  }
}

function skipped(report: BlockReport, { notice, tellModel }: SkipPlan): BlockResult {
  report.notice(notice)
  if (tellModel) report.say(notice.message)
  return report.finish({ status: 'skipped', exitCode: 0 })
}

function refused(
  report: BlockReport,
  { notice, exitCode }: Pick<RefusePlan, 'notice' | 'exitCode'>,
): BlockResult {
  report.notice(notice)
  return report.finish({ status: 'invalid', exitCode })
}

function placeFailed(report: BlockReport, cause: unknown): PlaceFailure {
  report.close()
  const result = report.finish({ status: 'died', exitCode: exitCodes.died })
  return new PlaceFailure(cause, ranNothing(result))
}

function ranNothing(result: BlockResult): RanBlock {
  return { result, removedFiles: [] }
}
