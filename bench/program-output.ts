import type { CodeBlock, CodeExecutor } from '@fenced/core'

/** What a block prints, trimmed; what a bench relies on must go well. */
export async function programOutput(executor: CodeExecutor, block: CodeBlock): Promise<string> {
  const { status, output } = await executor.execute([block])
  if (status !== 'ok') throw new Error(`The ${block.language} block ended with ${status}: ${output}`)
  return output.trim()
}
