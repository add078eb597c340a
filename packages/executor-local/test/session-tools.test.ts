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

const tools = {
  hang: (_: object) => new Promise<never>(() => {}),
  echo: async (values: object) => values,
}

test.skipIf(process.platform !== 'linux')(
  'a copy gets no answer to a call of the Python whose place it takes',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const run = (code: string) => executor.execute([{ language: 'python', code }], { tools })
    await run('import tools')
    for (let round = 0; round < 5; round++) {
      const { output } = await run(`
import os, threading, time, tools
caller = threading.Thread(target=tools.hang, daemon=True)
caller.start()
while not tools._connection.is_read: time.sleep(0.001)
os._exit(0)`)
      expect(output).toBe('')
      expect((await run('print(tools.echo(a=1))')).output).toBe("{'a': 1}\n")
    }
  },
)

test.skipIf(process.platform !== 'linux')(
  'tools work after an undo of a cell during which a thread called them',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const run = (code: string) => executor.execute([{ language: 'python', code }], { tools })
    await run(`
import threading, tools
def call():
    while True:
        try: tools.hang()
        except tools.ToolError: pass
threading.Thread(target=call, daemon=True).start()`)
    await run('x = 1')
    await executor.session?.undo()
    expect((await run('print(tools.echo(a=1))')).output).toBe("{'a': 1}\n")
  },
)
