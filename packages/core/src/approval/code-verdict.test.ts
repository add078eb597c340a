import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from './approval-answer.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import { codeHash } from './code-hash.ts'
import { verdictOf } from './code-verdict.ts'
import { RememberedApprovals } from './remembered-approvals.ts'

const target: CodeApprovalRequest['target'] = {
  description: 'in a container, without network',
  executor: 'docker',
  isolation: 'container',
  network: 'none',
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

/** What is remembered after an answer was saved and loaded. */
function rememberedAfter(answer: ApprovalAnswer, about = request()) {
  const given = new RememberedApprovals()
  given.add(answer, about)
  const remembered = new RememberedApprovals(JSON.parse(JSON.stringify(given.list())))
  return { remembered, knows: (asked: CodeApprovalRequest) => remembered.find(asked) !== undefined }
}

const answers: readonly ApprovalAnswer[] = [
  { decision: 'allow', remember: 'code' },
  { decision: 'allow', remember: 'conversation' },
  { decision: 'deny', reason: 'No.', remember: 'code' },
]

describe.each(answers)('an answer that is remembered, %j', (answer) => {
  it('holds on the same target, however its particulars are ordered', () => {
    const { knows } = rememberedAfter(answer)
    expect(knows(request())).toBe(true)
    const particulars = { runtime: 'runc', memoryBytes: 1_000 }
    expect(knows(request({ target: { ...target, particulars } }))).toBe(true)
  })

  it('does not hold on another target', ({ everyRow }) =>
    everyRow<[string, Partial<CodeApprovalRequest['target']>]>(
      [
        ['another executor', { executor: 'local' }],
        ['another isolation', { isolation: 'none' }],
        ['the network', { network: 'open' }],
        ['other limits', { particulars: {} }],
        ['another working directory', { workDir: '/home/me' }],
        ['packages that may be installed', { installablePackages: 'any' }],
      ],
      (_, changes) => {
        const { knows } = rememberedAfter(answer)
        expect(knows(request({ target: { ...target, ...changes } }))).toBe(false)
      },
    ))

  it('holds on the same target when it is described in other words', () => {
    const { knows } = rememberedAfter(answer)
    expect(knows(request({ target: { ...target, description: 'in a box' } }))).toBe(true)
  })
})

it('does not remember a denial of everything', () => {
  const { remembered } = rememberedAfter({
    decision: 'deny',
    reason: 'No.',
    remember: 'conversation',
  } as never)
  expect(remembered.list()).toEqual([])
})

describe('edited programs', () => {
  const named = { language: 'python', code: 'print(1)', info: 'tools/plot.py' }
  const verdictOn = (blocks: readonly { language: string; code: string }[]) =>
    verdictOf({ decision: 'edit', blocks }, request({ blocks: [named] }))

  it('stay in the file that the fence names', () => {
    const edit = { language: 'python', code: 'print(2)' }
    expect(verdictOn([edit])).toMatchObject({ answer: { blocks: [{ ...edit, info: 'tools/plot.py' }] } })
  })

  it.each([
    ['another language', [{ language: 'sh', code: 'echo 2' }]],
    ['another number of programs', [named, named].map(({ language, code }) => ({ language, code }))],
  ])('are in no file of the fence with %s', (_, blocks) => {
    expect(verdictOn(blocks)).toMatchObject({ answer: { blocks } })
    expect(JSON.stringify(verdictOn(blocks))).not.toContain('info')
  })
})
