import type { CodeStatus, Notice } from '../../vocabulary/code-result.ts'
import type { PassedLimit } from './block-clock.ts'

/** Why a block is stopped before its end. */
export type StopReason = Extract<CodeStatus, 'timeout' | 'cancelled' | 'output-limit'>

/** Limits of a block, for the notice that names the exceeded limit. */
export interface StopLimits {
  readonly timeoutMs: number
  readonly maxWaitMs: number
  readonly maxOutputBytes: number
  /** Default: the block was not ended by its clock. */
  readonly passed?: PassedLimit | undefined
  /** Whether calls of tools took longer than the clock stands still for them. */
  readonly isToolTimeUsed: boolean
}

/** Notices for a block that was stopped. */
export function stopNotice(reason: StopReason, limits: StopLimits): Notice {
  if (reason === 'timeout') return timeoutNotice(limits)
  if (reason === 'cancelled')
    return { code: reason, message: 'Cancelled: the program was stopped because the caller requested it.' }
  const { maxOutputBytes } = limits
  return {
    code: reason,
    message: `Output limit: the program was stopped because it wrote more than ${maxOutputBytes} bytes.`,
    data: { limitBytes: `${maxOutputBytes}` },
  }
}

function timeoutNotice({ timeoutMs, maxWaitMs, passed = 'timeoutMs', isToolTimeUsed }: StopLimits): Notice {
  const code = 'timeout'
  if (passed === 'maxWaitMs')
    return {
      code,
      message: `Timeout: the program was stopped because its questions had waited ${maxWaitMs} ms for answers. A block can wait no longer than that (\`maxWaitMs\`).`,
      data: { limitMs: `${maxWaitMs}`, option: passed },
    }
  const message = `Timeout: the program was stopped because its time limit of ${timeoutMs} ms had passed.`
  if (!isToolTimeUsed) return { code, message, data: { limitMs: `${timeoutMs}`, option: passed } }
  return {
    code,
    message: `${message} It waited more than ${timeoutMs} ms for its tools, and the rest of that time counted.`,
    data: { limitMs: `${timeoutMs}`, option: passed, toolWaitMs: `${timeoutMs}` },
  }
}
