import type { Sandbox } from '@fenced/core/sandbox'
import { CommandLineCodeExecutor } from '@fenced/sandbox'

const executors = new WeakMap<Sandbox, CommandLineCodeExecutor>()

/** Runs a program as a cell of the sandbox's session, and returns what it wrote. The session ends with the sandbox. */
export async function runAsCell(sandbox: Sandbox, code: string): Promise<string> {
  const executor = executors.get(sandbox) ?? new CommandLineCodeExecutor({ sandbox, stateful: true })
  executors.set(sandbox, executor)
  const { blocks } = await executor.execute([{ language: 'python', code }])
  return `${blocks[0]?.stdout}${blocks[0]?.stderr}`
}
