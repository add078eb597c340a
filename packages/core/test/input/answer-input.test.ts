import { expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../src/approval/approval-queue.ts'
import type { AskAbout } from '../../src/approval/ask.ts'
import { approvalDigest } from '../../src/approval/digest.ts'
import type { InputRequest } from '../../src/approval/input-request.ts'
import { askingExecutor } from '../../src/asking-executor.ts'
import { blocks, fakeExecutor } from '../../src/engine/fake-driver.fixture.ts'
import { executeStream } from '../../src/execute-stream.ts'
import { stopClock } from '../engine/stop-clock.ts'

/** An executor whose programs read a line and print it. */
function makeExecutor({ timeoutMs = 60_000, isSecret = false, prompt = 'Name? ' } = {}) {
  return fakeExecutor({
    capabilities: { inputRequests: true },
    programs: {
      reads: async (io) => {
        const line = await io.readLine?.({ prompt, isSecret })
        await io.write('stdout', Buffer.from(`${line}\n`))
        return { exitCode: line === undefined ? 1 : 0 }
      },
      insists: async (io) => {
        for (let count = 0; count < 1_000; count++) await io.readLine?.({ prompt })
        return { exitCode: 0 }
      },
    },
    options: { timeoutMs, redact: ['hunter2'] },
  })
}

const ann: AskAbout<'input'> = () => ({ decision: 'answer', text: 'Ann' })

it('gives a program the line that was answered, and the clock of the program stands meanwhile', async () => {
  stopClock()
  const { executor } = makeExecutor({ timeoutMs: 200 })
  const questions = new ApprovalQueue()
  const running = executor.execute(blocks('ok', 'reads'), { ask: { input: questions.ask } })
  await questions.events().next()
  const [request] = questions.pending
  expect(request).toMatchObject({
    kind: 'input',
    prompt: 'Name? ',
    isSecret: false,
    executor: 'fake',
    blockIndex: 1,
    question: 'A program asks: "Name? "',
    digest: approvalDigest(request as InputRequest),
  })
  vi.advanceTimersByTime(400)
  questions.answer(request?.id ?? '', { decision: 'answer', text: 'Ann' })
  expect(await running).toMatchObject({ status: 'ok', output: 'Ann\n' })
})

it.each([
  ['a denial', () => ({ decision: 'deny', reason: 'Not now.' }) as const, 'Not now.'],
  [
    'nobody who can be asked',
    () => Promise.reject(new Error('No terminal.')),
    expect.stringContaining('No terminal.'),
  ],
  ['several lines', () => ({ decision: 'answer', text: 'a\nb' }) as const, expect.any(String)],
  ['no answer at all', () => true as never, expect.any(String)],
])('ends the input of a program at %s, and the output says why', async (_, input, reason) => {
  const { executor } = makeExecutor()
  const { status, output, blocks: ran } = await executor.execute(blocks('reads'), { ask: { input } })
  const notices = ran[0]?.notices ?? []
  expect(status).toBe('error')
  expect(notices).toMatchObject([{ code: 'input-denied', data: { prompt: 'Name? ', reason } }])
  expect(output).toContain(notices[0]?.message)
})

it('shows a bounded part of a prompt, without what is to be hidden, and one notice for a program that asks again', async () => {
  const { executor } = makeExecutor({ prompt: `hunter2 ${'x'.repeat(1_000_000)}` })
  const asked: InputRequest[] = []
  const result = await executor.execute(blocks('insists'), {
    ask: {
      input: (request) => {
        asked.push(request)
        return { decision: 'deny', reason: 'No.' }
      },
    },
  })
  expect(asked).toHaveLength(1_000)
  expect(asked[0]?.prompt.length).toBeLessThan(2_100)
  expect(JSON.stringify(asked[0])).not.toContain('hunter2')
  expect(result.blocks[0]?.notices).toHaveLength(1)
})

it('withdraws the question of a program that is stopped', async () => {
  const { executor } = makeExecutor()
  const questions = new ApprovalQueue()
  const stop = new AbortController()
  const running = executor.execute(blocks('reads'), { ask: { input: questions.ask }, signal: stop.signal })
  await questions.events().next()
  stop.abort()
  expect(await running).toMatchObject({ status: 'cancelled' })
  expect(questions.pending).toEqual([])
})

it('has a question wait after an answer that is none, and does not repeat a secret', async () => {
  const { executor } = makeExecutor({ isSecret: true })
  const questions = new ApprovalQueue()
  const running = executor.execute(blocks('reads'), { ask: { input: questions.ask } })
  const events = questions.events()
  const { value: asked } = await events.next()
  const id = asked.request.id
  for (const answer of [{ decision: 'allow' }, { decision: 'answer' }, { decision: 'edit', blocks: [] }])
    expect(() => questions.answer(id, answer as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_APPROVAL' }),
    )
  questions.answer(id, { decision: 'answer', text: 'swordfish' })
  expect((await events.next()).value).toMatchObject({ answer: { decision: 'answer', text: '' } })
  expect((await running).output).toBe('swordfish\n')
})

it('asks behind an approval, and counts the blocks of an answer that still streams', async () => {
  const { executor } = makeExecutor()
  const careful = askingExecutor(executor, () => ({ decision: 'allow' }))
  expect((await careful.execute(blocks('reads'), { ask: { input: ann } })).output).toBe('Ann\n')
  const asked: InputRequest[] = []
  async function* text() {
    yield '```python\nok\n```\n\n```python\nreads\n```\n'
  }
  await executeStream(executor, text(), {
    ask: {
      input: (request, options) => {
        asked.push(request)
        return ann(request, options)
      },
    },
  })
  expect(asked.map(({ blockIndex }) => blockIndex)).toEqual([1])
})

it('asks nobody where programs have no standard input', async () => {
  const { executor } = fakeExecutor()
  expect(await executor.execute(blocks('ok'), { ask: { input: ann } })).toMatchObject({ status: 'ok' })
})
