import { type CodeExecutor, type CodeResult, exitCodes } from '@fenced/core'

const exitCodeOf = {
  denied: exitCodes.notExecutable,
  cancelled: exitCodes.cancelled,
  died: exitCodes.died,
} as const

/** The result of code of which nothing was run. */
export function notRun(
  { capabilities: { isolation, network, isolationParticulars } }: CodeExecutor,
  status: keyof typeof exitCodeOf,
  output: string,
): CodeResult {
  return {
    status,
    exitCode: exitCodeOf[status],
    output,
    blocks: [],
    files: [],
    durationMs: 0,
    queuedMs: 0,
    isolation: { kind: isolation, network, particulars: { ...isolationParticulars } },
  }
}
