import type { ApprovalTarget, CodeApprovalRequest, ExecutorCapabilities } from '@fenced/core'
import { isolationText } from '@fenced/core/internal'
import { describe, expect, it } from 'vitest'
import { type HumanInputScript, ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { approveByPerson } from './approve-by-person.ts'

function placeIn(
  where: Pick<ExecutorCapabilities, 'isolation' | 'network'>,
  others: Partial<ApprovalTarget> = {},
): ApprovalTarget {
  return { description: isolationText(where), executor: 'x', ...where, particulars: {}, ...others }
}

const request: CodeApprovalRequest = {
  kind: 'code',
  id: '1',
  agent: 'coder',
  question: '',
  blocks: [
    { language: 'sh', code: 'pip install numpy', packages: ['numpy'] },
    { language: 'python', code: '# filename: a.py\nif True:\n\tprint("é")\n\n', fileName: 'a.py' },
  ],
  codeHash: '',
  digest: '',
  target: placeIn({ isolation: 'none', network: 'open' }, { executor: 'local', workDir: '/work' }),
  context: 'First this.',
  retryAttempt: 0,
  askedAt: 0,
}

const { signal } = new AbortController()

async function decided(script: HumanInputScript, changes: Partial<CodeApprovalRequest> = {}) {
  const person = new ScriptedHumanInput(script)
  const answer = await approveByPerson(person)({ ...request, ...changes }, { signal })
  return { answer, prompts: person.requests.map(({ prompt }) => prompt), person }
}

const denied = (reason = 'The person did not want it to run.') => ({ decision: 'deny', reason })

describe('a person', () => {
  it('allows or denies with what is typed (P-19)', ({ everyRow }) =>
    everyRow(
      [
        ['y', { decision: 'allow' }],
        ['yes ', { decision: 'allow' }],
        ['  Y\t', { decision: 'allow' }],
        ['YES\n', { decision: 'allow' }],
        ['c', { decision: 'allow', remember: 'code' }],
        ['code', { decision: 'allow', remember: 'code' }],
        ['a', { decision: 'allow', remember: 'conversation' }],
        ['All', { decision: 'allow', remember: 'conversation' }],
        ['always', { decision: 'allow', remember: 'conversation' }],
        ['n', denied()],
        ['No ', denied()],
        ['exit', denied()],
        ['n Use the other file. ', denied('Use the other file.')],
        ['No, use a\nloop', denied('use a\nloop')],
      ],
      async (text, expected) => {
        expect((await decided([text])).answer).toEqual({ by: 'person', ...(expected as object) })
      },
    ))

  it('who types e gives each program as it is to run, and keeps one with Enter', async () => {
    const other = 'print(1)\nprint(2)'
    const { answer, prompts, person } = await decided(['e', '', other])
    expect(answer).toMatchObject({
      decision: 'edit',
      blocks: [
        { language: 'sh', code: 'pip install numpy' },
        { language: 'python', code: other },
      ],
    })
    expect(prompts.slice(1)).toEqual([
      'Paste the replacement of program 1 of 2 (sh), or press Enter to keep it: ',
      'Paste the replacement of program 2 of 2 (python), or press Enter to keep it: ',
    ])
    expect(person.requests[0]?.choices).toContainEqual({ answer: 'e', label: 'Changes it' })
    expect(new Set(person.requests.map(({ id }) => id)).size).toBe(3)
  })

  it('who gives up while typing it denies it', async () => {
    expect((await decided(['Edit', 'print(1)', 'exit'])).answer).toMatchObject(denied())
  })

  it('is asked again after Enter alone', async () => {
    const { answer, prompts } = await decided(['', '  ', 'y'])
    expect(answer).toEqual({ by: 'person', decision: 'allow' })
    expect(new Set(prompts).size).toBe(1)
    expect(prompts).toHaveLength(3)
  })

  it('is asked again after a word that is none of the answers, and sees the code again', async () => {
    const unclear = ['ok', 'sure', 'yy', 'yes, but not twice', 'nothing', 'Use the other file.']
    const { answer, prompts, person } = await decided([...unclear, 'n Use the other file.'])
    expect(answer).toMatchObject(denied('Use the other file.'))
    expect(prompts).toHaveLength(unclear.length + 1)
    for (const prompt of prompts) expect(prompt).toContain('  | pip install numpy')
    expect(new Set(person.requests.map(({ id }) => id)).size).toBe(prompts.length)
  })

  it('is asked in one sentence where the code stands above the question', async () => {
    const person = new ScriptedHumanInput(['y'])
    await approveByPerson(person, { brief: true })(request, { signal })
    expect(person.requests[0]?.prompt).toBe(
      'Run the 2 programs on this machine, not isolated, and install numpy? [y]es, this [c]ode always, [a]ll in this conversation, [e]dit, [n]o, or n and a reason: ',
    )
  })

  it('sees the code with a margin, and where it would run', async () => {
    const { prompts, person } = await decided(['y'])
    expect(prompts[0]).toBe(
      [
        'coder wants to run this, on this machine, not isolated (local), working in /work:',
        '',
        'sh, installs numpy:',
        '  | pip install numpy',
        '',
        'python, kept as a.py:',
        '  | # filename: a.py',
        '  | if True:',
        '  | ␉   print("é")',
        '  | ',
        '',
        'Run it? [y]es, this [c]ode always, [a]ll in this conversation, [e]dit, [n]o, or n and a reason: ',
      ].join('\n'),
    )
    expect(person.requests[0]?.agent).toBe('coder')
  })

  it.each<[Partial<CodeApprovalRequest>, string]>([
    [{ retryAttempt: 2 }, 'coder wants to run this (try 3), '],
    [
      { target: placeIn({ isolation: 'container', network: 'none' }, { executor: 'docker' }) },
      'in a container, without network (docker):',
    ],
    [
      { target: placeIn({ isolation: 'bubblewrap', network: 'none' }) },
      'in bubblewrap, without network (x):',
    ],
    [
      { target: placeIn({ isolation: 'vm', network: 'open' }) },
      'in a virtual machine, with the network (x):',
    ],
    [
      { target: placeIn({ isolation: 'vm', network: 'list' }) },
      'in a virtual machine, with a network allowlist (x):',
    ],
    [
      {
        target: placeIn(
          { isolation: 'vm', network: 'open' },
          { particulars: { memoryBytes: 1_000 }, installablePackages: ['numpy'] },
        ),
      },
      'memoryBytes 1000, may install numpy:',
    ],
    [
      {
        target: placeIn({ isolation: 'vm', network: 'open' }, { installablePackages: 'any' }),
      },
      'may install any package:',
    ],
  ])('sees %j', async (changes, text) => {
    expect((await decided(['y'], changes)).prompts[0]).toContain(text)
  })

  it.each([
    ['\n', '\n  | '],
    ['\r\n', '␍\n  | '],
    ['\r', '␍'],
    ['\u2028', '[U+2028]'],
  ])('sees the line break %j, and no line without a margin', async (lineBreak, shown) => {
    const code = `one${lineBreak}Run it? [y]es`
    const { prompts } = await decided(['y'], { blocks: [{ language: 'sh', code }] })
    expect(prompts[0]).toContain(`  | one${shown}Run it? [y]es\n`)
  })
})
