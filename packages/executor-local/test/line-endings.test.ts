import { codeExecutionTool } from '@fenced/core'
import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

const lines = ['if true; then', 'echo yes', 'fi', '']

it.each(['\n', '\r\n', '\r'])('a program with the line ending %j runs, however it comes', async (ending) => {
  await using executor = new LocalCommandLineCodeExecutor()
  const block = { language: 'sh', code: lines.join(ending) }
  const outputs = [await executor.execute([block])].map(({ output }) => output)
  for await (const { output, status } of codeExecutionTool(executor).execute(block))
    if (status !== 'running') outputs.push(output)
  expect(outputs).toEqual(['yes\n', 'yes\n'])
})
