import type { CodeBlock, CodeExecutor, CodeResult } from '@fenced/core'

export function python(...lines: string[]): CodeBlock {
  return { language: 'python', code: lines.join('\n') }
}

export function sh(...lines: string[]): CodeBlock {
  return { language: 'sh', code: lines.join('\n') }
}

/** What a program prints, which must end well. */
export async function printed(executor: CodeExecutor, ...blocks: CodeBlock[]): Promise<string> {
  const { status, output } = await executor.execute(blocks)
  if (status !== 'ok') throw new Error(`${status}: ${output}`)
  return output
}

export function noticeCodes({ blocks }: CodeResult): string[] {
  return blocks.flatMap(({ notices }) => notices.map(({ code }) => code))
}
