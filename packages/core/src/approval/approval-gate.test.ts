import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from './approval-answer.ts'
import { ApprovalGate } from './approval-gate.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import { askerOf } from './asker.ts'
import { codeHash } from './code-hash.ts'
import { RememberedApprovals } from './remembered-approvals.ts'

const target: CodeApprovalRequest['target'] = {
  description: 'in a container, without network',
  executor: 'docker',
  isolation: 'container',
  network: false,
  particulars: { memoryBytes: 1_000, runtime: 'runc' },
  workDir: '/data',
}

function request(changes: Partial<CodeApprovalRequest> = {}): CodeApprovalRequest {
  const blocks = [{ language: 'python', code: 'print(1)' }]
  return {
    kind: 'code',
    id: '1',
    agent: 'coder',
    question: 'May it run?',
    blocks,
    codeHash: codeHash(blocks),
    digest: '',
    context: '',
    retryAttempt: 0,
    askedAt: 0,
    target,
    ...changes,
  }
}

/** What the gate knows after it was asked once and its answers were saved and loaded. */
async function gateAfter(answer: ApprovalAnswer, about = request()): Promise<ApprovalGate> {
  const gate = new ApprovalGate(askerOf({ approve: () => answer }))
  await gate.decide(about, new AbortController().signal)
  const saved = JSON.parse(JSON.stringify(gate.remembered.list()))
  return new ApprovalGate(askerOf({ approve: () => answer }), new RememberedApprovals(saved))
}

const answers: readonly ApprovalAnswer[] = [
  { decision: 'allow', remember: 'code' },
  { decision: 'allow', remember: 'conversation' },
  { decision: 'deny', reason: 'No.', remember: 'code' },
]

describe.each(answers)('an answer that is remembered, %j', (answer) => {
  it('holds on the same target, however its particulars are ordered', async () => {
    const gate = await gateAfter(answer)
    expect(gate.knows(request())).toBe(true)
    const particulars = { runtime: 'runc', memoryBytes: 1_000 }
    expect(gate.knows(request({ target: { ...target, particulars } }))).toBe(true)
  })

  it('does not hold on another target', ({ everyRow }) =>
    everyRow<[string, Partial<CodeApprovalRequest['target']>]>(
      [
        ['another executor', { executor: 'local' }],
        ['another isolation', { isolation: 'none' }],
        ['the network', { network: true }],
        ['other limits', { particulars: {} }],
        ['another working directory', { workDir: '/home/me' }],
        ['packages that may be installed', { installablePackages: 'any' }],
      ],
      async (_, changes) => {
        const gate = await gateAfter(answer)
        expect(gate.knows(request({ target: { ...target, ...changes } }))).toBe(false)
      },
    ))

  it('holds on the same target when it is described in other words', async () => {
    const gate = await gateAfter(answer)
    expect(gate.knows(request({ target: { ...target, description: 'in a box' } }))).toBe(true)
  })
})

describe('an answer about code that runs files', () => {
  it.each(answers)('is remembered only where it is for everything: %j', async (answer) => {
    const about = request({ remembersCode: false })
    const gate = await gateAfter(answer, about)
    expect(gate.knows(about)).toBe('remember' in answer && answer.remember === 'conversation')
  })
})

it('does not remember a denial of everything', async () => {
  const gate = await gateAfter({ decision: 'deny', reason: 'No.', remember: 'conversation' } as never)
  expect(gate.remembered.list()).toEqual([])
})

describe('edited programs', () => {
  const named = { language: 'python', code: 'print(1)', info: 'tools/plot.py' }
  const verdictOn = async (blocks: readonly { language: string; code: string }[]) => {
    const gate = new ApprovalGate(askerOf({ approve: () => ({ decision: 'edit', blocks }) }))
    return gate.decide(request({ blocks: [named] }), new AbortController().signal)
  }

  it('stay in the file that the fence names', async () => {
    const edit = { language: 'python', code: 'print(2)' }
    expect(await verdictOn([edit])).toMatchObject({ blocks: [{ ...edit, info: 'tools/plot.py' }] })
  })

  it.each([
    ['another language', [{ language: 'sh', code: 'echo 2' }]],
    ['another number of programs', [named, named].map(({ language, code }) => ({ language, code }))],
  ])('are in no file of the fence with %s', async (_, blocks) => {
    expect(await verdictOn(blocks)).toMatchObject({ blocks })
    expect(JSON.stringify(await verdictOn(blocks))).not.toContain('info')
  })
})
