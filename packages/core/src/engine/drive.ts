import { exitCodes } from '../exit-codes.ts'
import type { BlockEnd, BlockReport } from './block-report.ts'
import type { BlockOutcome, PreparedBlock } from './driver.ts'
import type { EngineContext } from './engine-context.ts'
import { noNetworkNotice } from './no-network-notice.ts'
import type { StopCause, StopSwitch } from './stop-switch.ts'
import { unlessAbandoned } from './unless-abandoned.ts'

export interface DriveContext {
  readonly place: EngineContext
  readonly report: BlockReport
  readonly stop: StopSwitch
  readonly timeoutMs: number
  /** Whether the program has changed files of the work directory so far. Absent where it has none. */
  readonly hasChangedFiles?: () => Promise<boolean>
}

/** How a driven block ended. */
export type DriveEnd = Required<Pick<BlockEnd, 'status' | 'exitCode' | 'durationMs'>>

/** Gives a block to the driver, stops it in time, and says how it ended. */
export async function drive(block: PreparedBlock, context: DriveContext): Promise<DriveEnd> {
  const { report, stop, timeoutMs } = context
  if (stop.cause !== undefined) return { ...stopped(stop.cause, context), durationMs: 0 }
  const startedAt = performance.now()
  let endedAt: number | undefined
  stop.startTimer(timeoutMs)
  const outcome = await runDriver(block, context, () => {
    endedAt ??= performance.now()
    stop.programEnded()
  })
  const durationMs = (endedAt ?? performance.now()) - startedAt
  stop.programEnded()
  report.close()
  if (outcome === 'abandoned') return { ...abandoned(context), durationMs }
  const cause = outcome.endedByItself === true ? undefined : stop.programCause
  const end = cause === undefined ? ended(outcome, context) : stopped(cause, context)
  return { ...end, durationMs }
}

async function runDriver(
  block: PreparedBlock,
  { place, report, stop }: DriveContext,
  onEnded: () => void,
): Promise<BlockOutcome | 'abandoned'> {
  const onStop = () => report.releaseWriter()
  stop.signal.addEventListener('abort', onStop, { once: true })
  const running = place.driver.run(block, {
    signal: stop.signal,
    write: (stream, chunk) => report.write(stream, chunk),
    ended: onEnded,
    result: (result, options) => report.result(result, options),
    clear: () => report.clear(),
    notice: (notice) => report.notice(notice),
  })
  // A driver that rejects because it was stopped has done what it was asked for.
  const settled = running.catch((error: unknown) => {
    if (stop.cause === undefined) throw error
    return { status: 'died' as const, exitCode: exitCodes.died }
  })
  try {
    return await unlessAbandoned(settled, { signal: stop.signal, graceMs: place.stopGraceMs })
  } finally {
    stop.signal.removeEventListener('abort', onStop)
  }
}

function ended(
  { exitCode, status }: BlockOutcome,
  { place, report }: DriveContext,
): Omit<DriveEnd, 'durationMs'> {
  if (status !== undefined) return { status, exitCode }
  if (exitCode === 0) return { status: 'ok', exitCode }
  const notice = place.capabilities.network ? undefined : noNetworkNotice(report.text)
  if (notice !== undefined) report.notice(notice)
  return { status: 'error', exitCode }
}

/** How a block ends that was stopped, or that was never begun because it was to be stopped already. */
export function stopped(cause: StopCause, context: DriveContext): Omit<DriveEnd, 'durationMs'> {
  const { report, timeoutMs, place } = context
  const messages: Record<StopCause, string> = {
    timeout: `Timeout: the program was stopped because its time limit of ${timeoutMs} ms had passed.`,
    cancelled: 'Cancelled: the program was stopped because the caller asked for it.',
    'output-limit': `Output limit: the program was stopped because it wrote more than ${place.options.maxOutputBytes} bytes.`,
  }
  const exits: Record<StopCause, number> = {
    timeout: exitCodes.timeout,
    cancelled: exitCodes.cancelled,
    'output-limit': exitCodes.killed,
  }
  report.notice({ code: cause, message: messages[cause] })
  return { status: cause, exitCode: exits[cause] }
}

/** How a block ends whose driver goes on with something although it was to stop. */
export function abandoned({ report, place }: DriveContext): Omit<DriveEnd, 'durationMs'> {
  const { name, stopGraceMs, capabilities } = place
  const next = capabilities.stateful
    ? 'Call restart() to go on with a new one.'
    : 'The next call makes it anew.'
  report.notice({
    code: 'died',
    message: `The executor "${name}" did not stop the program within ${stopGraceMs} ms and was given up. ${next}`,
  })
  return { status: 'died', exitCode: exitCodes.died }
}
