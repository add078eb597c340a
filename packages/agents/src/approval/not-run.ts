import { type CodeExecutor, type CodeResult, exitCodes } from '@fenced/core'

/** The result of code of which nothing was run. */
export function notRun(
  { capabilities: { isolation, network, isolationParticulars } }: CodeExecutor,
  status: 'denied' | 'cancelled',
  output: string,
): CodeResult {
  return {
    status,
    exitCode: status === 'denied' ? exitCodes.notExecutable : exitCodes.cancelled,
    output,
    blocks: [],
    files: [],
    durationMs: 0,
    queuedMs: 0,
    isolation: { kind: isolation, network, particulars: { ...isolationParticulars } },
  }
}
