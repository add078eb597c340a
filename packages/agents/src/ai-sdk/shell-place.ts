import type { CodeExecutor, CodeResult, Execution } from '@fenced/core'

/** How a shell program ended, and what it said. */
export interface ShellEnd {
  readonly exitCode: number
  readonly stdout: string
  /** With the reason behind it where the program was stopped or could not be run, so that a model reads of it. */
  readonly stderr: string
}

/** What a call may take. */
export interface ShellLimits {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
}

/** Runs a shell program to its end. Rejects with the signal's reason when that is aborted, after the program has ended. */
export async function runShell(
  executor: CodeExecutor,
  code: string,
  { signal, timeoutMs }: ShellLimits,
): Promise<ShellEnd> {
  signal?.throwIfAborted()
  const result = await startShell(executor, code, { signal, timeoutMs })
  signal?.throwIfAborted()
  return endOf(result)
}

export function startShell(
  executor: CodeExecutor,
  code: string,
  { signal, timeoutMs }: ShellLimits,
): Execution {
  return executor.execute([{ language: 'sh', code }], { signal, timeoutMs })
}

function endOf(result: CodeResult): ShellEnd {
  const [block] = result.blocks
  if (block === undefined) return { exitCode: result.exitCode, stdout: '', stderr: result.output }
  const { exitCode, stdout, stderr } = block
  return { exitCode, stdout, stderr: stderr + reasonsOf(result, stderr) }
}

/** Why a program did not end well, as far as that was not its own doing: lines for the end of its standard error. */
export function reasonsOf({ blocks: [block] }: CodeResult, stderr: string): string {
  if (block === undefined || block.status === 'ok' || block.notices.length === 0) return ''
  const lines = block.notices.map(({ message }) => `${message}\n`).join('')
  return stderr === '' || stderr.endsWith('\n') ? lines : `\n${lines}`
}
