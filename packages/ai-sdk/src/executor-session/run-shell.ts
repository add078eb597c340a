import type { ApprovalFile, CodeExecutor, CodeResult, Execution } from '@fenced/core'
import { executeAbout, saysLoss } from '@fenced/core/internal'

export interface ShellEnd {
  readonly exitCode: number
  readonly stdout: string
  /** Followed by what was lost, and by the reason if the program was stopped or could not run, so that a model can read it. */
  readonly stderr: string
}

export interface ShellCall {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  /** Files that the program writes from its input, shown in the question whether it may run. */
  readonly files?: readonly ApprovalFile[] | undefined
}

/** Runs a shell program to its end. Rejects with the signal's reason when that is aborted, after the program has ended. */
export async function runShell(
  executor: CodeExecutor,
  code: string,
  { signal, ...call }: ShellCall,
): Promise<ShellEnd> {
  signal?.throwIfAborted()
  const result = await startShell(executor, code, { signal, ...call })
  signal?.throwIfAborted()
  return shellEnd(result)
}

export function startShell(executor: CodeExecutor, code: string, { files, ...call }: ShellCall): Execution {
  // An answer is not remembered for the command alone: the code that it runs is in files.
  const about = { files, remembersCode: false } as const
  return executeAbout(executor, [{ language: 'sh', code }], { ...call, about })
}

function shellEnd(result: CodeResult): ShellEnd {
  const [block] = result.blocks
  if (block === undefined) return { exitCode: result.exitCode, stdout: '', stderr: result.output }
  const { exitCode, stdout, stderr } = block
  return { exitCode, stdout, stderr: stderr + reasonsOf(result, stderr) }
}

/**
 * Why a program did not end well, as far as that was not its own doing, and what was lost: lines for the end of its standard
 * error.
 */
export function reasonsOf({ blocks: [block] }: CodeResult, stderr: string): string {
  if (block === undefined) return ''
  const notices = block.notices.filter(({ code }) => block.status !== 'ok' || saysLoss(code))
  const lines = notices.map(({ message }) => `${message}\n`).join('')
  return lines === '' || stderr === '' || stderr.endsWith('\n') ? lines : `\n${lines}`
}
