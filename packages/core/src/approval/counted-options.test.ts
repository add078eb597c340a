import { describe, expect, it } from 'vitest'
import type { ExecuteOptions } from '../code-executor.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { readApprovalRequest } from './approval-request.ts'
import { codeRequest } from './code-request.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'
import { RememberedApprovals } from './remembered-approvals.ts'

const never = () => Promise.reject(new Error('Nobody is asked.'))
const tool = () => 1

/** Two values of every option. A new option needs a row here, or the types are wrong. */
const counted: Readonly<Record<CountedName, readonly [unknown, unknown]>> = {
  timeoutMs: [2_000, 3_600_000],
  maxWaitMs: [1_000, 2_000],
  tools: [{ read: tool }, { read: tool, write: tool }],
  toolLimits: [{ maxCalls: 1 }, { maxCalls: 2 }],
}

/** Options that end a call, record it, or say who decides. */
const uncounted: Readonly<Record<Exclude<keyof ExecuteOptions, CountedName>, unknown>> = {
  signal: new AbortController().signal,
  ledger: new DecisionLedger(),
  remembered: new RememberedApprovals(),
  ask: never,
  askTimeoutMs: 1_000,
  agent: 'other',
}

type CountedName = 'timeoutMs' | 'maxWaitMs' | 'tools' | 'toolLimits'

const executor = new EchoExecutor()
const requestWith = (options: object) =>
  codeRequest({
    ...{ agent: 'coder', executor, blocks: [{ language: 'python', code: 'one' }], options },
    ...{ context: '', retryAttempt: 0 },
  })

const answers: readonly ApprovalAnswer[] = [
  { decision: 'allow', remember: 'code' },
  { decision: 'allow', remember: 'conversation' },
  { decision: 'deny', reason: 'No.', remember: 'code' },
]

describe.each(Object.entries(counted))('the option %s', (name, [one, other]) => {
  it.each(answers)('is part of what an answer is remembered for: %j', (answer) => {
    const remembered = new RememberedApprovals()
    remembered.add(answer, requestWith({ [name]: one }))
    const knows = (options: object) => remembered.find(requestWith(options)) !== undefined
    expect(knows({ [name]: one })).toBe(true)
    for (const options of [{ [name]: other }, {}]) expect(knows(options)).toBe(false)
  })

  it('is kept in a request that is saved as JSON', () => {
    const request = requestWith({ [name]: one })
    expect(readApprovalRequest(JSON.parse(JSON.stringify(request)))).toEqual(request)
    expect(request).toHaveProperty(name)
  })
})

it.each(Object.entries(uncounted))('the option %s does not change what would run', (name, value) => {
  expect(requestWith({ [name]: value }).digest).toBe(requestWith({}).digest)
})

it('an option that is not known yet counts', () => {
  expect(requestWith({ another: 1 }).digest).not.toBe(requestWith({}).digest)
})
