import type { CodeBlock } from '../code-block.ts'
import type { CodeExecutor } from '../code-executor.ts'
import type { CodeResult } from '../code-result.ts'
import { exitCodes } from '../exit-codes.ts'

const exitCodeOf = {
  ok: 0,
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

/** What a model reads of code that was not approved. */
export function denialText(reason: string): string {
  return `Code execution was not approved. Reason: ${reason}`
}

/** What a model reads before the output of code that was changed: it has to know what was run. */
export function editText({
  blocks,
  reason = '',
}: {
  readonly blocks: readonly CodeBlock[]
  readonly reason?: string | undefined
}): string {
  const why = reason === '' ? '' : ` (${reason})`
  const programs = blocks.map(({ language, code }) => `~~~~${language}\n${code.replace(/\n?$/, '\n')}~~~~`)
  return `The code was changed before it was run${why}, into this:\n\n${programs.join('\n\n')}\n\n`
}
