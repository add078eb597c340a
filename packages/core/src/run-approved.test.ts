import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalAnswer } from './approval/approval-answer.ts'
import { ApprovalQueue } from './approval/approval-queue.ts'
import type { CodeApprovalRequest } from './approval/approval-request.ts'
import { DecisionLedger } from './approval/decision-ledger.ts'
import { EchoExecutor } from './approval/echo-executor.fixture.ts'
import { RememberedApprovals } from './approval/remembered-approvals.ts'
import { askingExecutor } from './asking-executor.ts'
import { runApproved } from './run-approved.ts'

const python = (code: string) => ({ language: 'python', code })
const allow: ApprovalAnswer = { decision: 'allow' }
const dayMs = 24 * 60 * 60_000

afterEach(() => void vi.useRealTimers())

/** A question that a process has kept as JSON before it ended. */
async function kept(code = 'one', timeoutMs?: number): Promise<CodeApprovalRequest> {
  const questions = new ApprovalQueue()
  const stop = new AbortController()
  const executor = askingExecutor(new EchoExecutor(), questions)
  const execution = executor.execute([python(code)], {
    signal: stop.signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  for await (const _ of questions.events()) break
  const json = JSON.stringify(questions.pending[0])
  stop.abort()
  await execution
  return JSON.parse(json)
}

describe('a question that is answered later', () => {
  it('runs in another process, from the request alone', async () => {
    const inner = new EchoExecutor()
    const execution = runApproved(inner, { request: await kept(), answer: allow })
    const types = []
    for await (const { type } of execution) types.push(type)
    expect(types).toEqual(['approval-answered', 'block-start', 'stdout', 'block-end', 'execution-end'])
    expect(await execution).toMatchObject({ status: 'ok', output: 'one\n' })
    expect(inner.ran).toEqual(['one'])
  })

  it('has the time limit of the question, and can be cancelled', async () => {
    const request = await kept('hang', 50)
    const signal = AbortSignal.abort()
    const cancelled = runApproved(new EchoExecutor(), { request, answer: allow }, { signal })
    expect(await cancelled).toMatchObject({ status: 'cancelled' })
    expect(await runApproved(new EchoExecutor(), { request, answer: allow })).toMatchObject({
      status: 'timeout',
    })
  })

  it('is denied, changed and remembered as any other', async () => {
    const inner = new EchoExecutor()
    const denied = { decision: 'deny', reason: 'Too late.' } as const
    expect(await runApproved(inner, { request: await kept(), answer: denied })).toMatchObject({
      status: 'denied',
      output: 'Code execution was not approved. Reason: Too late.\n',
    })
    const edit = { decision: 'edit', blocks: [python('two')] } as const
    expect((await runApproved(inner, { request: await kept(), answer: edit })).output).toContain('two\n')
    const remembered = new RememberedApprovals()
    const answer = { decision: 'allow', remember: 'code' } as const
    const request = await kept()
    await runApproved(inner, { request, answer }, { remembered })
    expect(remembered.list()).toMatchObject([{ id: request.id, blocks: [python('one')] }])
    expect(inner.ran).toEqual(['two', 'one'])
  })

  it.each<[string, (request: CodeApprovalRequest) => unknown, string]>([
    ['is no request', () => ({ kind: 'code' }), 'INVALID_OPTIONS'],
    ['is of an unknown kind', (request) => ({ ...request, kind: 'telepathy' }), 'INVALID_OPTIONS'],
    ['has other programs', (request) => ({ ...request, blocks: [python('evil')] }), 'CODE_CHANGED'],
    ['has another time limit', (request) => ({ ...request, timeoutMs: 1 }), 'CODE_CHANGED'],
    ['may run again', (request) => ({ ...request, mayRunAgain: true }), 'CODE_CHANGED'],
    [
      'has other languages',
      (request) => ({ ...request, blocks: [{ language: 'sh', code: 'one' }] }),
      'CODE_CHANGED',
    ],
    [
      'is for another directory',
      (request) => ({ ...request, target: { ...request.target, workDir: '/elsewhere' } }),
      'APPROVAL_ELSEWHERE',
    ],
  ])('that %s is refused, and nothing runs', async (_, change, code) => {
    const inner = new EchoExecutor()
    const request = change(await kept()) as CodeApprovalRequest
    await expect(runApproved(inner, { request, answer: allow })).rejects.toMatchObject({ code })
    expect(inner.ran).toEqual([])
  })

  it('under another file name is refused, and nothing runs', async () => {
    const inner = new EchoExecutor()
    const request = await kept()
    const blocks = request.blocks.map((block) => ({ ...block, info: 'sitecustomize.py' }))
    const run = runApproved(inner, { request: { ...request, blocks }, answer: allow })
    await expect(run).rejects.toMatchObject({ code: 'CODE_CHANGED' })
    expect(inner.ran).toEqual([])
  })

  it.each([
    ['less isolation', { isolation: 'container' as const }],
    ['the network', { network: 'open' as const }],
    ['other limits', { isolationParticulars: { memoryBytes: 1 } }],
    ['packages', { installablePackages: 'any' as const }],
  ])('is refused by an executor with %s', async (_, changes) => {
    const inner = new EchoExecutor(changes)
    const run = runApproved(inner, { request: await kept(), answer: allow })
    await expect(run).rejects.toMatchObject({
      code: 'APPROVAL_ELSEWHERE',
      data: { target: expect.any(String), executor: expect.any(String) },
    })
    expect(inner.ran).toEqual([])
  })

  it('runs once, also where two calls use it at the same time', async () => {
    const inner = new EchoExecutor()
    const request = await kept()
    const runs = [0, 1].map(() => runApproved(inner, { request, answer: allow }))
    const outcomes = (await Promise.allSettled(runs)).map((run) =>
      run.status === 'fulfilled' ? run.value.status : run.reason.code,
    )
    expect(outcomes.sort()).toEqual(['APPROVAL_USED', 'ok'])
    const again = runApproved(inner, { request, answer: allow })
    await expect(again).rejects.toMatchObject({ code: 'APPROVAL_USED', data: { state: 'finished' } })
    expect(inner.ran).toEqual(['one'])
  })

  it('runs once in a process, however many others were used after it', async () => {
    const inner = new EchoExecutor()
    const request = await kept()
    await runApproved(inner, { request, answer: allow })
    const { [Symbol.for('fenced.usedApprovals')]: used } = globalThis as { [key: symbol]: unknown }
    const ledger = used as DecisionLedger
    for (let count = 0; count < 10_001; count++) {
      const id = crypto.randomUUID()
      await ledger.ask({ id, kind: 'code', digest: request.digest })
      await ledger.decide(id, { state: 'denied' })
    }
    await expect(runApproved(inner, { request, answer: allow })).rejects.toMatchObject({
      code: 'APPROVAL_USED',
    })
    expect(inner.ran).toEqual(['one'])
  })

  it('is refused 30 days after the question, when its process forgets whether it was used', async () => {
    const inner = new EchoExecutor()
    const [request, later] = [await kept(), await kept('two')]
    vi.useFakeTimers({ toFake: ['Date'], now: request.askedAt + 29 * dayMs })
    await runApproved(inner, { request, answer: allow })
    vi.setSystemTime(request.askedAt + 31 * dayMs)
    for (const old of [request, later])
      await expect(runApproved(inner, { request: old, answer: allow })).rejects.toMatchObject({
        code: 'APPROVAL_USED',
        data: { state: 'expired' },
      })
    expect(inner.ran).toEqual(['one'])
  })

  it('is refused where it is not in the ledger, or was withdrawn there', async () => {
    const inner = new EchoExecutor()
    const request = await kept()
    const ledger = new DecisionLedger()
    const run = runApproved(inner, { request, answer: allow }, { ledger })
    await expect(run).rejects.toMatchObject({ code: 'UNKNOWN_APPROVAL', data: { id: request.id } })
    await ledger.ask(request)
    await ledger.decide(request.id, { state: 'withdrawn' })
    const later = runApproved(inner, { request, answer: allow }, { ledger })
    await expect(later).rejects.toMatchObject({ code: 'APPROVAL_USED', data: { state: 'withdrawn' } })
    expect(inner.ran).toEqual([])
  })

  it('is refused where the answer is none', async () => {
    const inner = new EchoExecutor()
    const run = runApproved(inner, { request: await kept(), answer: { decision: 'yes' } as never })
    await expect(run).rejects.toMatchObject({ code: 'INVALID_APPROVAL' })
    expect(inner.ran).toEqual([])
  })
})
