import { codeExecutionTool, undoTool } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { expect, test } from 'vitest'

test.skipIf(process.platform !== 'linux')('a model keeps variables, and undoes its programs', async () => {
  await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
  const { description, execute } = codeExecutionTool(executor)
  expect(description).toContain('Variables, imports and functions persist between python programs.')
  const run = async (code: string) => {
    let output = ''
    for await (const each of execute({ code, language: 'python' })) output = each.output
    return output
  }
  await run('x = [1]')
  await run('x.append(2)')
  const undo = undoTool(executor)
  expect(await undo.execute({})).toBe('Block 2 was undone. Variables and files are as after block 1.')
  expect(await run('print(x)')).toBe('[1]\n')
  expect(executor.session?.restorations.map(({ number }) => number)).toEqual([1])
  await expect(undo.execute({ steps: 9 })).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
})
