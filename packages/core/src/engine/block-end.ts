import type { BlockResult, Notice } from '../vocabulary/code-result.ts'
import { exitCodesOfStatus } from '../vocabulary/exit-codes.ts'
import type { BlockOutcome } from './driver.ts'

/** The end of a block. */
export interface BlockEnd {
  readonly status: BlockResult['status']
  readonly exitCode: number
  /** From the start of the program to its end. Default 0: no program was started. */
  readonly durationMs?: number
  /** Its notice in the result. */
  readonly notice?: Notice
}

/** Input of {@link blockEnd}: a driver's outcome, or a status of the engine. */
export type Outcome =
  | BlockOutcome
  | { readonly status: keyof typeof exitCodesOfStatus; readonly exitCode?: undefined }

/** The one rule for status and exit code: a program's own code says its status, any other status says its code. */
export function blockEnd({ status, exitCode }: Outcome): BlockEnd {
  if (status === undefined) return { status: exitCode === 0 ? 'ok' : 'error', exitCode }
  return { status, exitCode: exitCode ?? exitCodesOfStatus[status] }
}
