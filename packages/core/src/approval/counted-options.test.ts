import { describe, expect, it } from 'vitest'
import type { ExecuteOptions } from '../code-executor.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { ApprovalGate } from './approval-gate.ts'
import { readApprovalRequest } from './approval-request.ts'
import { askerOf } from './asker.ts'
import { codeRequest } from './code-request.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'

const never = () => Promise.reject(new Error('Nobody is asked.'))
const tool = () => 1

/** Two values of every option. A new option needs a row here, or the types are wrong. */
const counted: Readonly<Record<CountedName, readonly [unknown, unknown]>> = {
  timeoutMs: [2_000, 3_600_000],
  maxWaitMs: [1_000, 2_000],
  tools: [{ read: tool }, { read: tool, write: tool }],
  toolLimits: [{ maxCalls: 1 }, { maxCalls: 2 }],
}

/** Options that end a call, record it, or decide later questions about it. */
const uncounted: Readonly<Record<Exclude<keyof ExecuteOptions, CountedName>, unknown>> = {
  signal: new AbortController().signal,
  ledger: new DecisionLedger(),
  approveTool: never,
  approveNetwork: never,
  approveInstall: never,
  answerInput: never,
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
  it.each(answers)('is part of what an answer is remembered for: %j', async (answer) => {
    const gate = new ApprovalGate(askerOf({ approve: () => answer }))
    const signal = new AbortController().signal
    await gate.decide(requestWith({ [name]: one }), signal)
    expect(gate.knows(requestWith({ [name]: one }))).toBe(true)
    for (const options of [{ [name]: other }, {}]) expect(gate.knows(requestWith(options))).toBe(false)
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
