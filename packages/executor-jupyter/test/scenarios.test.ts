import { extractCodeBlocks } from '@fenced/core'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { directExecutor, jupyter, jupyterPython, run } from './support.ts'

const rows = rowTags({ all: ['with a local server', 'of a server'] })

/** What people of AutoGen's tutorial know, with their own servers and connections. */
describe.skipIf(jupyter.missing)('the scenarios of the tutorial', () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => server.stop())

  test.each<[where: string, create: () => Promise<JupyterCodeExecutor>]>([
    ['a kernel of our own', async () => directExecutor()],
    ['a local server', async () => new JupyterCodeExecutor({ server })],
    [
      'the connection info of a server that runs',
      async () => new JupyterCodeExecutor({ server: await server.connect() }),
    ],
  ])('SC-15: "Hello, World!" with %s', rows, async (_, create) => {
    await using executor = await create()
    const { exitCode, output, files } = await run(executor, 'print("Hello, World!")')
    expect({ exitCode, output, files }).toEqual({ exitCode: 0, output: 'Hello, World!\n', files: [] })
  })

  test('SC-16: a definition in one block, its call in the next, as one answer and as two', {
    tags: 'all',
  }, async () => {
    const define =
      '```python\ndef fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\n```\n'
    const call = '```python\nfibonacci(14)\n```\n'
    await using executor = new JupyterCodeExecutor({ server })
    expect((await executor.execute(extractCodeBlocks(define + call))).output).toBe('377\n')
    await executor.restart()
    await executor.execute(extractCodeBlocks(define))
    expect((await executor.execute(extractCodeBlocks(call))).output).toBe('377\n')
    expect((await executor.execute(extractCodeBlocks('Well done!'))).output).toBe('')
  })

  test('SC-17: executors of one server have a kernel and an output directory each', {
    tags: 'all',
  }, async () => {
    await using one = new JupyterCodeExecutor({ server })
    await using two = new JupyterCodeExecutor({ server })
    const plot = ['import matplotlib.pyplot as plt', 'plt.plot([1, 2, 3])', 'plt.show()']
    const [first, second] = await Promise.all([run(one, ...plot), run(two, ...plot)])
    const paths = [first, second].map(({ files }) => files[0]?.absolutePath ?? '')
    expect(paths[0]?.startsWith(one.workDir)).toBe(true)
    expect(paths[1]?.startsWith(two.workDir)).toBe(true)
    expect(first.output).toBe(`Image data saved to ${paths[0]}\n`)
    await run(one, 'mine = 1')
    expect((await run(two, "print('mine' in globals())")).output).toBe('False\n')
  })

  test('SC-18: the recipe of our image can be read', () => {
    expect(DockerJupyterServer.DEFAULT_DOCKERFILE).toMatch(/^FROM /m)
    expect(DockerJupyterServer.DEFAULT_DOCKERFILE).toContain('jupyter-server')
  })
})
