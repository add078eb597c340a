import { describe, expect, it } from 'vitest'
import { askingExecutor } from '../asking-executor.ts'
import { microtasks } from '../microtasks.fixture.ts'
import type { ApprovalEvent } from './approval-event.ts'
import { ApprovalQueue } from './approval-queue.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'

const python = (code: string) => ({ language: 'python', code })

function queued() {
  const questions = new ApprovalQueue()
  const inner = new EchoExecutor()
  return { questions, inner, executor: askingExecutor(inner, questions, { agent: 'coder' }) }
}

/** The events of a queue up to a number of them. */
async function next(questions: ApprovalQueue, count: number): Promise<ApprovalEvent[]> {
  const events: ApprovalEvent[] = []
  for await (const event of questions.events()) if (events.push(event) === count) break
  return events
}

describe('a queue of questions', () => {
  it('shows a question as plain data, in words and in fields', async () => {
    const { questions, executor } = queued()
    const execution = executor.execute([python('one')], { timeoutMs: 7_000 })
    const [event] = await next(questions, 1)
    const expected = {
      kind: 'code',
      agent: 'coder',
      question:
        'coder wants to run a program (python) on this machine, not isolated, without network (echo).',
      blocks: [python('one')],
      target: {
        description: 'on this machine, not isolated, without network',
        isolation: 'none',
        network: 'none',
      },
      timeoutMs: 7_000,
    }
    expect(event).toMatchObject({ type: 'approval-requested', request: expected })
    expect(questions.pending).toMatchObject([expected])
    expect(JSON.parse(JSON.stringify(questions.pending))).toEqual(questions.pending)
    questions.answer(questions.pending[0]?.id ?? '', { decision: 'allow' })
    expect(questions.pending).toEqual([])
    expect(await execution).toMatchObject({ status: 'ok', output: 'one\n' })
  })

  it('shows every reader all of it, late ones beginning with what waits; the first answer decides', async () => {
    const { questions, inner, executor } = queued()
    const early = next(questions, 2)
    const execution = executor.execute([python('one')])
    const [asked] = await next(questions, 1)
    const late = next(questions, 2)
    await microtasks()
    const id = asked?.type === 'approval-requested' ? asked.request.id : ''
    const answer = { decision: 'deny', reason: 'No.' } as const
    questions.answer(id, answer)
    expect(() => questions.answer(id, { decision: 'allow' })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_APPROVAL', data: { id } }),
    )
    for (const events of [await early, await late])
      expect(events).toEqual([asked, { type: 'approval-answered', id, answer, remembered: false }])
    expect(await execution).toMatchObject({ status: 'denied' })
    expect(inner.ran).toEqual([])
  })

  it('takes a question back whose execution is cancelled', async () => {
    const { questions, executor } = queued()
    const stop = new AbortController()
    const execution = executor.execute([python('one')], { signal: stop.signal })
    const events = next(questions, 2)
    const [asked] = await next(questions, 1)
    stop.abort()
    expect(await execution).toMatchObject({ status: 'cancelled' })
    expect(questions.pending).toEqual([])
    const id = asked?.type === 'approval-requested' ? asked.request.id : ''
    expect((await events)[1]).toEqual({ type: 'approval-withdrawn', id })
  })

  it('lets a question wait on when an answer is none', async () => {
    const { questions, executor } = queued()
    const execution = executor.execute([python('one')])
    await next(questions, 1)
    const id = questions.pending[0]?.id ?? ''
    expect(() => questions.answer(id, {} as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_APPROVAL' }),
    )
    questions.answer(id, { decision: 'edit', blocks: [python('two')] })
    expect((await execution).output).toContain('two\n')
  })

  it('refuses a question with the id of one that waits, and keeps the first', async () => {
    const questions = new ApprovalQueue()
    const stop = new AbortController()
    const ask = (tool: string, { signal } = new AbortController()) =>
      questions.ask(
        { kind: 'tool', id: 'call_0', toolCallId: 'call_0', digest: '', question: tool, tool, input: {} },
        { signal },
      )
    const first = ask('look')
    const refused = { code: 'DUPLICATE_APPROVAL', data: { id: 'call_0' } }
    await expect(ask('remove', stop)).rejects.toMatchObject(refused)
    stop.abort()
    expect(questions.pending).toMatchObject([{ tool: 'look' }])
    questions.answer('call_0', { decision: 'allow' })
    expect(await first).toMatchObject({ decision: 'allow' })
    // The id of an answered question is free.
    void ask('look')
    expect(questions.pending).toHaveLength(1)
  })

  it('ends its events with a signal, and keeps no listener', async () => {
    const { questions } = queued()
    const stop = new AbortController()
    const events = questions.events({ signal: stop.signal })
    const reading = events.next()
    stop.abort()
    expect(await reading).toEqual({ done: true, value: undefined })
  })
})

describe('the events of an execution', () => {
  it('show the question before anybody is asked', async () => {
    const seen: string[] = []
    const executor = askingExecutor(new EchoExecutor(), () => {
      seen.push('asked')
      return { decision: 'allow' }
    })
    for await (const { type } of executor.execute([python('one')])) {
      // A screen that takes its time.
      await microtasks()
      seen.push(type)
    }
    expect(seen.slice(0, 4)).toEqual(['approval-requested', 'asked', 'approval-answered', 'block-start'])
  })

  it('cannot change what was decided', async () => {
    const edit = { decision: 'edit', blocks: [python('edited')] } as const
    const execution = askingExecutor(new EchoExecutor(), () => edit).execute([python('one')])
    for await (const event of execution) {
      if (event.type !== 'approval-answered' || event.answer.decision !== 'edit') continue
      for (const block of event.answer.blocks) Object.assign(block, { code: 'another' })
      Object.assign(event.answer, { decision: 'allow' })
    }
    expect((await execution).output).toContain('edited')
    expect((await execution).output).not.toContain('another')
  })

  it('show a question that can be answered as soon as the reader has it', async () => {
    const { executor, questions } = queued()
    const stop = new AbortController()
    let pending = 0
    for await (const event of executor.execute([python('one')], { signal: stop.signal })) {
      if (event.type !== 'approval-requested') continue
      // A message of another process comes no earlier than after these.
      void microtasks().then(() => {
        pending = questions.pending.length
        stop.abort()
      })
    }
    expect(pending).toBe(1)
  })

  it('have no question where an earlier answer holds', async () => {
    const executor = askingExecutor(new EchoExecutor(), () => ({ decision: 'allow', remember: 'code' }))
    await executor.execute([python('one')])
    const events = []
    for await (const event of executor.execute([python('one')])) events.push(event)
    expect(events[0]).toMatchObject({
      type: 'approval-answered',
      answer: { decision: 'allow' },
      remembered: true,
    })
  })

  it('that are not read on do not hold the question back', async () => {
    const executor = askingExecutor(new EchoExecutor(), () => ({ decision: 'allow' }))
    const execution = executor.execute([python('one')])
    await execution[Symbol.asyncIterator]().next()
    expect(await execution).toMatchObject({ status: 'ok' })
  })
})
