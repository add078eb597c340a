import { FencedError } from '@fenced/errors'
import { describe, expect, it } from 'vitest'
import { askingExecutor } from '../asking-executor.ts'
import type { CodeExecutor } from '../code-executor.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { ApprovalQueue } from './approval-queue.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { AskAbout } from './ask.ts'
import { mayHaveRun } from './asked-again.ts'
import { executeAbout } from './asks-about-code.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { approvalDigest } from './digest.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'
import { type LedgerStep, type LedgerStore, MemoryLedgerStore } from './ledger-store.ts'

const block = { language: 'python', code: 'one' }
const allow: ApprovalAnswer = { decision: 'allow' }

/** An executor that asks, and all that its approver and its ledger know. */
function asking(answer: ApprovalAnswer | AskAbout<'code'> = allow, inner: CodeExecutor = new EchoExecutor()) {
  const ledger = new DecisionLedger()
  const requests: CodeApprovalRequest[] = []
  const approve: AskAbout<'code'> = (request, options) => {
    requests.push(request)
    return typeof answer === 'function' ? answer(request, options) : answer
  }
  return { ledger, requests, executor: askingExecutor(inner, { code: approve }, { ledger }) }
}

/** An executor whose runs begin when a test says so, or fail before. It is of a third party: it does not know `ask`. */
function thirdParty(execute: CodeExecutor['execute']): CodeExecutor {
  const { name, capabilities, workDir } = new EchoExecutor()
  const nothing = async () => {}
  return {
    ...{ name, capabilities, workDir, execute },
    ...{ start: nothing, restart: nothing, stop: nothing, [Symbol.asyncDispose]: nothing },
  }
}

const diedBefore = () =>
  new FencedError({ code: 'EXECUTOR_DIED', message: 'The executor died.', data: { executor: 'echo' } })

/** Fails with `EXECUTOR_DIED` in its first start. */
class DiesOnce extends EchoExecutor {
  #hasDied = false

  override async start(): Promise<void> {
    if (this.#hasDied) return await super.start()
    this.#hasDied = true
    throw diedBefore()
  }
}

describe('the ledger of an executor that asks', () => {
  it.each<[string, ApprovalAnswer, object]>([
    ['a program that ran', allow, { state: 'finished', decidedBy: 'rule' }],
    ['a denial', { decision: 'deny', reason: 'No.' }, { state: 'denied' }],
    ['a person', { ...allow, by: 'person' }, { state: 'finished', decidedBy: 'person' }],
  ])('has %s', async (_, answer, record) => {
    const { executor, ledger, requests } = asking(answer)
    await executor.execute([block])
    const [request] = requests
    const { id, digest, target } = request as CodeApprovalRequest
    expect(await ledger.list()).toMatchObject([{ id, digest, target, kind: 'code', ...record }])
    expect(JSON.stringify(await ledger.list())).not.toContain('"one"')
  })

  it('has the digest of what an edit allows', async () => {
    const blocks = [{ language: 'python', code: 'two' }]
    const { executor, ledger, requests } = asking({ decision: 'edit', blocks })
    await executor.execute([block])
    const [request] = requests
    const allowedDigest = approvalDigest({ ...(request as CodeApprovalRequest), blocks })
    expect(await ledger.list()).toMatchObject([{ state: 'finished', digest: request?.digest, allowedDigest }])
    expect(allowedDigest).not.toBe(request?.digest)
  })

  it('has remembered answers, and people who answer a queue', async () => {
    const ledger = new DecisionLedger()
    const questions = new ApprovalQueue()
    const executor = askingExecutor(new EchoExecutor(), questions, { ledger })
    const run = executor.execute([block])
    for await (const { request } of questionsOf(questions)) {
      questions.answer(request.id, { ...allow, remember: 'code' })
      break
    }
    await run
    await executor.execute([block])
    const records = await ledger.list()
    expect(records.map(({ decidedBy }) => decidedBy)).toEqual(['person', 'remembered'])
  })

  it('has a question before it is shown, and a start before the first program', async () => {
    const states: unknown[] = []
    const look = async (id: string) => states.push((await parts.ledger.find(id))?.state)
    const inner = new EchoExecutor()
    const parts = asking(async ({ id }) => {
      await look(id)
      return allow
    }, inner)
    for await (const event of parts.executor.execute([block])) {
      if (event.type === 'approval-requested') await look(event.request.id)
      if (event.type === 'block-start') await look((await parts.ledger.list())[0]?.id ?? '')
    }
    expect(states).toEqual(['asked', 'asked', 'started'])
  })

  it('keeps a question whose approver cannot be reached, and withdraws one that is cancelled', async () => {
    const unavailable = asking(() => Promise.reject(new Error('Offline.')))
    await expect(unavailable.executor.execute([block])).rejects.toMatchObject({
      code: 'APPROVAL_UNAVAILABLE',
    })
    expect(await unavailable.ledger.list()).toMatchObject([{ state: 'asked' }])
    const stop = new AbortController()
    const cancelled = asking(() => {
      stop.abort()
      return new Promise(() => {})
    })
    expect(await cancelled.executor.execute([block], { signal: stop.signal })).toMatchObject({
      status: 'cancelled',
    })
    expect(await cancelled.ledger.list()).toMatchObject([{ state: 'withdrawn' }])
  })

  it.each<LedgerStep>(['asked', 'decided', 'started'])('that cannot write "%s" denies', async (step) => {
    const inner = new EchoExecutor()
    const ledger = new DecisionLedger({ store: storeWithout(step) })
    const run = askingExecutor(inner, () => allow, { ledger }).execute([block])
    await expect(run).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    expect(inner.ran).toEqual([])
  })

  it('that cannot write an end says so, and counts the run as unknown', async () => {
    const ledger = new DecisionLedger({ store: storeWithout('ended') })
    const codes: string[] = []
    for await (const event of askingExecutor(new EchoExecutor(), () => allow, { ledger }).execute([block])) {
      if (event.type === 'notice') codes.push(event.notice.code)
    }
    expect(codes).toEqual(['end-not-recorded'])
    expect(await ledger.list()).toMatchObject([{ state: 'unknown' }])
  })
})

describe('a program whose executor died', () => {
  it('before it began is allowed without a second question', async () => {
    const inner = new DiesOnce()
    const { executor, ledger, requests } = asking(allow, inner)
    await expect(executor.execute([block])).rejects.toMatchObject({ code: 'EXECUTOR_DIED' })
    expect(await ledger.list()).toMatchObject([{ state: 'allowed' }])
    const types: string[] = []
    for await (const { type } of executeAbout(executor, [block], { about: { resumes: true } }))
      types.push(type)
    expect(types).toEqual(['block-start', 'stdout', 'block-end', 'execution-end'])
    expect(inner.ran).toEqual(['one'])
    expect(requests).toHaveLength(1)
    expect(await ledger.list()).toMatchObject([{ state: 'finished' }])
    await executeAbout(executor, [block], { about: { resumes: true } })
    expect(requests).toHaveLength(2)
  })

  it('before it began runs as it was edited', async () => {
    const inner = new DiesOnce()
    const { executor } = asking({ decision: 'edit', blocks: [{ language: 'python', code: 'two' }] }, inner)
    await expect(executor.execute([block])).rejects.toMatchObject({ code: 'EXECUTOR_DIED' })
    const { output } = await executeAbout(executor, [block], { about: { resumes: true } })
    expect(output).toContain('The code was changed')
    expect(inner.ran).toEqual(['two'])
  })

  it('before a different program is asked about as usual', async () => {
    const inner = new DiesOnce()
    const { executor, requests } = asking(allow, inner)
    await expect(executor.execute([block])).rejects.toMatchObject({ code: 'EXECUTOR_DIED' })
    await executeAbout(executor, [{ ...block, code: 'other' }], { about: { resumes: true } })
    expect(requests).toHaveLength(2)
  })

  it('may have run in an executor of a third party: the next question says so', async () => {
    const inner = new EchoExecutor()
    let calls = 0
    const third = thirdParty((blocks, options) => {
      if (calls++ === 0) throw diedBefore()
      return inner.execute(blocks, options)
    })
    const { executor, ledger, requests } = asking(allow, third)
    await expect(executor.execute([block])).rejects.toMatchObject({ code: 'EXECUTOR_DIED' })
    expect(await ledger.list()).toMatchObject([{ state: 'unknown' }])
    await executeAbout(executor, [block], { about: { resumes: true } })
    const [first, second] = requests
    expect(second).toMatchObject({ after: first?.id, digest: first?.digest })
    expect(second?.id).not.toBe(first?.id)
    expect(second?.question).toContain(mayHaveRun)
    expect(first?.question).not.toContain(mayHaveRun)
  })
})

describe('a question of a saved state', () => {
  const again = async (prepare: (ledger: DecisionLedger, saved: CodeApprovalRequest) => Promise<unknown>) => {
    const first = asking({ decision: 'deny', reason: 'Later.' })
    await first.executor.execute([block])
    const [saved] = first.requests as [CodeApprovalRequest]
    const second = asking()
    await prepare(second.ledger, saved)
    await executeAbout(second.executor, [block], { about: { saved } })
    const [asked] = second.requests as [CodeApprovalRequest]
    return { saved, asked }
  }

  it('keeps its id while it is open in the ledger', async () => {
    const { saved, asked } = await again((ledger, request) => ledger.ask(request))
    expect(asked).toEqual(saved)
  })

  it('that is not in the ledger may have been answered, and its program may have run', async () => {
    const { saved, asked } = await again(async () => {})
    expect(asked).toMatchObject({ after: saved.id, question: `${saved.question} ${mayHaveRun}` })
    expect(asked.id).not.toBe(saved.id)
  })

  it('whose program has not begun is asked again without that sentence', async () => {
    const { saved, asked } = await again(async (ledger, { id, digest, kind }) => {
      await ledger.ask({ id, digest, kind })
      await ledger.decide(id, { state: 'allowed', digest })
    })
    expect(asked).toMatchObject({ after: saved.id, question: saved.question })
  })

  it('whose program has begun is asked again with that sentence', async () => {
    const { saved, asked } = await again(async (ledger, { id, digest, kind }) => {
      await ledger.ask({ id, digest, kind })
      await ledger.decide(id, { state: 'allowed', digest })
      await ledger.start(id, digest)
    })
    expect(asked).toMatchObject({ after: saved.id, question: `${saved.question} ${mayHaveRun}` })
  })
})

it('a request says that a program can run again after a package was installed for it', async () => {
  const { executor, requests } = asking(allow, new EchoExecutor({ installablePackages: ['numpy'] }))
  await executor.execute([block])
  expect(requests).toMatchObject([{ mayRunAgain: true }])
})

async function* questionsOf(questions: ApprovalQueue) {
  for await (const event of questions.events()) if (event.type === 'approval-requested') yield event
}

/** A store that fails in one step. */
function storeWithout(failing: LedgerStep): LedgerStore {
  const store = new MemoryLedgerStore()
  const create: LedgerStore['create'] = async (key, entry) => {
    if (key.step === failing) throw new Error('No space left.')
    return await store.create(key, entry)
  }
  return {
    create,
    read: (id) => store.read(id),
    list: () => store.list(),
    remove: (id) => store.remove(id),
  }
}
