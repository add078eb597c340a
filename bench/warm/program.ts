import type { CodeExecutor } from '@fenced/core'

/** A Python block, and what it prints without the last line's end. */
export interface Program {
  readonly code: string
  readonly prints: string
}

export const shortProgram: Program = { code: 'print(1)\n', prints: '1' }

/** Runs it, so many times one after the other. */
export async function runProgram(executor: CodeExecutor, program: Program, times = 1): Promise<void> {
  const block = { language: 'python', code: program.code }
  for (let time = 0; time < times; time++) verifyBlock('Fenced', program, await executor.execute([block]))
}

/** @throws unless it did what the program does: the time of anything else says nothing. */
export function verifyBlock(
  name: string,
  { code, prints }: Program,
  { exitCode, output }: { readonly exitCode: number; readonly output: string },
): void {
  if (exitCode === 0 && output.trim() === prints) return
  throw new Error(
    `${name} was to print ${prints} for\n${code}\nbut ended with exit code ${exitCode}:\n${output}`,
  )
}
