import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  SandboxJupyterServer,
} from '@fenced/executor-jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { sandboxKinds } from './servers.ts'
import { directExecutor, jupyter, python, run } from './support.ts'

const texts = (count: number) => Array.from({ length: count }, (_, number) => `${number}`)

describe.skipIf(jupyter.missing)('a cell that shows more than a publisher keeps', () => {
  test('has 2,000 results and their events', async () => {
    await using executor = directExecutor()
    const execution = executor.execute([python('for number in range(2_000): display(number)')])
    const shown: unknown[] = []
    for await (const event of execution) if (event.type === 'result') shown.push(event.result['text/plain'])
    const [block] = (await execution).blocks
    expect(shown).toEqual(texts(2_000))
    expect(block?.results.map((each) => each.data['text/plain'])).toEqual(texts(2_000))
    expect(block?.notices).toEqual([])
  })

  test('has a notice with the number of messages that did not arrive', async () => {
    await using executor = directExecutor()
    const lost = [
      'publisher = get_ipython().kernel.iopub_thread',
      'publish, seen = publisher._really_send, []',
      'def lose_some(parts, *args, **kwargs):',
      "    seen.append(parts[0] == b'display_data')",
      '    if not seen[-1] or sum(seen) > 7: publish(parts, *args, **kwargs)',
      'publisher._really_send = lose_some',
      'for number in range(10): display(number)',
    ]
    const [block] = (await run(executor, ...lost)).blocks
    expect(block?.results.map((each) => each.data['text/plain'])).toEqual(['7', '8', '9'])
    expect(block?.notices).toMatchObject([{ code: 'output-dropped', data: { messages: '7' } }])
    expect((await run(executor, 'display(1)')).blocks[0]?.notices).toEqual([])
  })
})

describe('100,000 displays on a busy machine', { tags: 'nightly', timeout: 900_000 }, () => {
  let busy: ChildProcess[]
  beforeAll(() => {
    const count = 2 * availableParallelism()
    busy = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);']))
  })
  afterAll(() => {
    for (const each of busy) each.kill()
  })

  test.skipIf(jupyter.missing || process.platform !== 'linux')('all arrive: a fork', async () => {
    await using executor = await forkedExecutor({ ...inOwnEnvironment(), ...patient })
    await expectAll(executor)
  })

  test.skipIf(jupyter.missing || bubblewrap.missing)('all arrive: bubblewrap', async () => {
    await using executor = isolatedExecutor(patient)
    await expectAll(executor)
  })

  for (const kind of sandboxKinds) {
    test.skipIf(kind.isMissing)(`all arrive: a server in ${kind.name}`, async () => {
      await using sandbox = await kind.create()
      await using server = new SandboxJupyterServer({ sandbox })
      await using executor = new JupyterCodeExecutor({ server, ...patient })
      await expectAll(executor)
    })
  }
})

const patient: JupyterExecutorOptions = {
  timeoutMs: 600_000,
  startTimeoutMs: 200_000,
  maxOutputBytes: 2 ** 21,
}

async function expectAll(executor: JupyterCodeExecutor): Promise<void> {
  const { output, blocks } = await run(executor, 'for number in range(100_000): display(number)')
  expect(output).toBe(`${texts(100_000).join('\n')}\n`)
  // More results than Fenced keeps as data.
  expect(blocks[0]?.notices.map(({ code }) => code)).toEqual(['results-left-out'])
}
