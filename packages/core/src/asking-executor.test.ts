import type { CodeBlock } from '@fenced/markdown'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from './approval/approval-answer.ts'
import type { CodeApprovalRequest } from './approval/approval-request.ts'
import type { AskAbout } from './approval/ask.ts'
import { EchoExecutor } from './approval/echo-executor.fixture.ts'
import { askingExecutor } from './asking-executor.ts'
import type { ExecutionEvent } from './execution.ts'
import { microtasks } from './microtasks.fixture.ts'
import { joinRunsOf } from './running/runs-of.ts'

const python = (code: string): CodeBlock => ({ language: 'python', code }) as CodeBlock

/** An executor under somebody who gives these answers, the last one again and again. */
function asked(...answers: (ApprovalAnswer | Error)[]) {
  const requests: CodeApprovalRequest[] = []
  const inner = new EchoExecutor()
  const code = async (request: CodeApprovalRequest) => {
    requests.push(request)
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    if (answer === undefined || answer instanceof Error) throw answer
    return answer
  }
  const executor = askingExecutor(inner, { code })
  return { executor, inner, requests }
}

/** Somebody who thinks until they are told to answer. */
function thinking() {
  const begun = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<ApprovalAnswer>()
  const approve: AskAbout<'code'> = () => {
    begun.resolve()
    return answer.promise
  }
  const inner = new EchoExecutor()
  return {
    executor: askingExecutor(inner, { code: approve }),
    inner,
    begun: begun.promise,
    answer: answer.resolve,
  }
}

async function eventsOf(execution: AsyncIterable<ExecutionEvent>) {
  const events: ExecutionEvent[] = []
  for await (const event of execution) events.push(event)
  return events
}

const allow: ApprovalAnswer = { decision: 'allow' }
const deny: ApprovalAnswer = { decision: 'deny', reason: 'It deletes files.' }
const edit: ApprovalAnswer = { decision: 'edit', blocks: [python('shorter')], reason: 'Shorter' }

describe('an executor that asks', () => {
  it('is the executor in everything else', async () => {
    const { executor, inner } = asked(allow)
    expect(executor.name).toBe(inner.name)
    expect(executor.capabilities).toBe(inner.capabilities)
    expect(executor.workDir).toBe(inner.workDir)
    await executor.start()
    await executor.restart()
    await executor.stop()
    await executor[Symbol.asyncDispose]()
    expect(inner.stops).toBe(2)
    await expect(executor.execute([python('one')])).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
  })

  it('runs what is allowed, and asks with the whole of it', async () => {
    const { executor, requests } = asked(allow)
    expect(await executor.execute([python('one'), python('two')])).toMatchObject({
      status: 'ok',
      output: 'one\ntwo\n',
    })
    expect(requests).toMatchObject([
      {
        agent: 'assistant',
        blocks: [
          { language: 'python', code: 'one' },
          { language: 'python', code: 'two' },
        ],
        target: { executor: 'echo', isolation: 'none', network: 'none' },
      },
    ])
  })

  it('names who wants it', async () => {
    const agents: string[] = []
    const approve: AskAbout<'code'> = ({ agent }) => {
      agents.push(agent)
      return allow
    }
    await askingExecutor(new EchoExecutor(), { code: approve }, { agent: 'coder' }).execute([python('one')])
    expect(agents).toEqual(['coder'])
  })

  it('has the events of the executor, in its order', async () => {
    const { executor, inner } = asked(allow)
    const shape = (events: ExecutionEvent[]) => events.map(({ type }) => type)
    const told = shape(await eventsOf(executor.execute([python('one'), python('fail')])))
    expect(told).toEqual([
      'approval-requested',
      'approval-answered',
      ...shape(await eventsOf(inner.execute([python('one'), python('fail')]))),
    ])
  })

  it('can be iterated once, and awaited besides', async () => {
    const execution = asked(allow).executor.execute([python('one')])
    const events = await eventsOf(execution)
    expect(events.at(-1)).toEqual({ type: 'execution-end', result: await execution })
    await expect(eventsOf(execution)).rejects.toMatchObject({ code: 'EXECUTION_ITERATED_TWICE' })
  })

  it.each([
    ['the caller changes the blocks', (blocks: CodeBlock[]) => blocks.splice(0, 1, python('evil'))],
    ['the caller changes a block', ([block]: CodeBlock[]) => Object.assign(block ?? {}, { code: 'evil' })],
  ])('runs what was approved, also when %s meanwhile', async (_, change) => {
    const { executor, inner, begun, answer } = thinking()
    const blocks = [python('good')]
    const execution = executor.execute(blocks)
    await begun
    change(blocks)
    answer(allow)
    await execution
    expect(inner.ran).toEqual(['good'])
  })

  it('runs what was shown, also when the one who is asked changes the request', async () => {
    const inner = new EchoExecutor()
    const executor = askingExecutor(inner, {
      code: ({ blocks }) => {
        Object.assign(blocks[0] ?? {}, { code: 'evil' })
        return allow
      },
    })
    await executor.execute([python('good')])
    expect(inner.ran).toEqual(['good'])
  })

  it('asks nothing about nothing', async () => {
    const { executor, requests } = asked(deny)
    expect(await executor.execute([])).toMatchObject({ status: 'ok' })
    expect(requests).toEqual([])
  })

  it.each([[{}], ['python'], [[{ language: 'python' }]]])('refuses %j as blocks', async (blocks) => {
    const { executor, requests } = asked(allow)
    await expect(executor.execute(blocks as never)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    expect(requests).toEqual([])
  })

  it('hands on the time limit', async () => {
    const { executor } = asked(allow)
    expect(await executor.execute([python('hang')], { timeoutMs: 20 })).toMatchObject({ status: 'timeout' })
  })
})

describe('a denial', () => {
  it('is a result that the model can read, and nothing runs', async () => {
    const { executor, inner } = asked(deny)
    const execution = executor.execute([python('one')])
    const text = 'Code execution was not approved. Reason: It deletes files.'
    const result = { status: 'denied', exitCode: 126, output: `${text}\n`, blocks: [], files: [] }
    expect(await execution).toMatchObject(result)
    expect(await eventsOf(execution)).toMatchObject([
      { type: 'approval-requested', request: { kind: 'code', blocks: [{ code: 'one' }] } },
      {
        type: 'approval-answered',
        answer: { decision: 'deny', reason: 'It deletes files.' },
        remembered: false,
      },
      { type: 'notice', notice: { code: 'denied', message: text } },
      { type: 'execution-end', result },
    ])
    expect(JSON.parse(JSON.stringify(await execution))).toEqual(await execution)
    expect(inner.ran).toEqual([])
  })

  it.each<[ApprovalAnswer, string, number]>([
    [{ decision: 'deny', reason: 'No.', remember: 'code' }, 'same', 1],
    [{ decision: 'deny', reason: 'No.' }, 'same', 2],
    [{ decision: 'allow', remember: 'code' }, 'same', 1],
    [{ decision: 'allow', remember: 'code' }, 'other', 2],
    [{ decision: 'allow', remember: 'conversation' }, 'other', 1],
  ])('or a permission holds as long as it says: %j, then %s', async (answer, second, questions) => {
    const { executor, requests } = asked(answer)
    const statuses = []
    for (const code of ['same', second]) statuses.push((await executor.execute([python(code)])).status)
    expect(new Set(statuses).size).toBe(1)
    expect(requests).toHaveLength(questions)
  })
})

describe('edited code', () => {
  it('runs instead, and the output says so first', async () => {
    const { executor, inner } = asked(edit)
    const execution = executor.execute([python('one')])
    const text = 'The code was changed before it was run (Shorter), into this:\n\n~~~~python\nshorter\n~~~~'
    expect(await execution).toMatchObject({ status: 'ok', output: `${text}\n\nshorter\n` })
    const events = await eventsOf(execution)
    expect(events[1]).toMatchObject({
      type: 'approval-answered',
      answer: { decision: 'edit', reason: 'Shorter' },
    })
    expect(events[2]).toEqual({ type: 'notice', notice: { code: 'edited', message: text } })
    expect(events.at(-1)).toEqual({ type: 'execution-end', result: await execution })
    expect(inner.ran).toEqual(['shorter'])
  })

  it('that is the same is no edit', async () => {
    const { executor } = asked({ decision: 'edit', blocks: [python('one')] })
    for (const info of ['python', 'one.py'])
      expect(await executor.execute([{ ...python('one'), info }])).toMatchObject({ output: 'one\n' })
  })
})

describe('nobody to ask', () => {
  it.each<[string, ApprovalAnswer | Error, string]>([
    ['an error', new Error('nobody is there'), 'APPROVAL_UNAVAILABLE'],
    ['an answer that is none', {} as ApprovalAnswer, 'INVALID_APPROVAL'],
  ])('%s rejects, for whoever awaits and whoever iterates, and nothing runs', async (_, answer, code) => {
    const { executor, inner } = asked(answer)
    await expect(executor.execute([python('one')])).rejects.toMatchObject({ code })
    await expect(eventsOf(executor.execute([python('one')]))).rejects.toMatchObject({ code })
    expect(inner.ran).toEqual([])
  })

  it('keeps nobody behind it from being asked', async () => {
    const { executor } = asked(new Error('nobody is there'), allow)
    const [first, second] = await Promise.allSettled([
      executor.execute([python('one')]),
      executor.execute([python('two')]),
    ])
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled'])
  })
})

describe('an end while somebody thinks', () => {
  it.each<
    [string, (end: { stop: AbortController; executor: ReturnType<typeof asked>['executor'] }) => unknown]
  >([
    ['the signal', ({ stop }) => stop.abort()],
    ['stop()', ({ executor }) => executor.stop()],
    ['restart()', ({ executor }) => executor.restart()],
  ])('by %s cancels it, and a late answer runs nothing', async (_, end) => {
    const { executor, inner, begun, answer } = thinking()
    const stop = new AbortController()
    const execution = executor.execute([python('one')], { signal: stop.signal })
    const behind = executor.execute([python('two')], { signal: stop.signal })
    await begun
    await end({ stop, executor })
    const cancelled = { status: 'cancelled', exitCode: 125, blocks: [] }
    expect(await execution).toMatchObject(cancelled)
    expect(await behind).toMatchObject(cancelled)
    answer(allow)
    await microtasks()
    expect(inner.ran).toEqual([])
  })

  it('by a reader that leaves ends the question', async () => {
    const { executor, inner, begun, answer } = thinking()
    const execution = executor.execute([python('one')])
    const iterator = execution[Symbol.asyncIterator]()
    const next = iterator.next()
    await begun
    await iterator.return?.()
    answer(allow)
    expect(await execution).toMatchObject({ status: 'cancelled' })
    expect((await next).value).toMatchObject({ type: 'approval-requested' })
    expect(inner.ran).toEqual([])
  })

  it('a signal that is aborted already asks nobody', async () => {
    const { executor, requests } = asked(allow)
    const { status } = await executor.execute([python('one')], { signal: AbortSignal.abort() })
    expect(status).toBe('cancelled')
    expect(requests).toEqual([])
  })
})

describe('several questions', () => {
  it('come one after the other, and an answer that holds on answers those behind it', async () => {
    const { executor, inner, requests } = asked({ decision: 'allow', remember: 'conversation' })
    await Promise.all(['one', 'two', 'three'].map((code) => executor.execute([python(code)])))
    expect(requests).toHaveLength(1)
    expect(inner.ran).toEqual(['one', 'two', 'three'])
  })

  it('a reader that leaves a run ends it, and the next one runs', async () => {
    const { executor } = asked(allow)
    for await (const { type } of executor.execute([python('hang')])) if (type === 'block-start') break
    expect(await executor.execute([python('one')])).toMatchObject({ status: 'ok' })
  })
})

it('a run that has left is cancelled by neither executor', async () => {
  const inner = new EchoExecutor()
  const executor = askingExecutor(inner, () => ({ decision: 'allow' }))
  const [left, staying] = [new AbortController(), new AbortController()]
  joinRunsOf(executor, left)?.[Symbol.dispose]()
  joinRunsOf(executor, staying)
  await inner.stop()
  expect([left.signal.aborted, staying.signal.aborted]).toEqual([false, true])
})
