import { FencedError } from '@fenced/errors'
import { expect, it } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import { ApprovalQueue } from './approval-queue.ts'
import type { Ask, AskKind, AskKinds } from './ask.ts'
import { askerOf, askKinds } from './asker.ts'

const target = {
  description: 'in a container, without network',
  executor: 'docker',
  isolation: 'container',
  network: 'none',
  particulars: {},
} as const

const requests: { readonly [Kind in AskKind]: AskKinds[Kind]['request'] } = {
  code: {
    kind: 'code',
    id: '1',
    agent: 'coder',
    question: 'Run it?',
    blocks: [{ language: 'python', code: 'print(1)' }],
    codeHash: '',
    digest: '',
    target,
    context: '',
    retryAttempt: 0,
    askedAt: 0,
  },
  tool: { kind: 'tool', id: '2', digest: '', toolCallId: 'a', question: 'Call it?', tool: 'pay', input: {} },
  network: { kind: 'network', id: '3', digest: '', question: 'Connect?', host: 'a.test', port: 443 },
  input: {
    kind: 'input',
    id: '4',
    digest: '',
    question: 'A program asks: "?"',
    prompt: '?',
    isSecret: false,
    executor: 'jupyter',
    blockIndex: 0,
  },
  install: { kind: 'install', id: '5', digest: '', question: 'Install it?', packages: ['numpy'], target },
  file: { kind: 'file', id: '6', digest: '', question: 'Write it?', action: 'write', path: 'a.txt', target },
  process: { kind: 'process', id: '7', digest: '', question: 'Start it?', command: ['node'], target },
  message: { kind: 'message', id: '8', digest: '', question: 'Reply?', agent: 'user', choices: [] },
}

const { signal } = new AbortController()
const about = (kind: AskKind): AskKinds[AskKind]['request'] => requests[kind]
const defaults: { readonly [Kind in AskKind]: 'allow' | 'deny' | undefined } = {
  ...{ code: undefined, tool: 'allow', network: 'deny', input: 'deny', install: 'allow' },
  ...{ file: 'allow', process: 'allow', message: undefined },
}
const answerOf = (ask: unknown, kind: AskKind) => askerOf({ ask: ask as Ask }).ask(about(kind), { signal })

it('one function answers every kind, and so do an object with `ask` and a queue', async () => {
  class Policy {
    readonly allowed = 'allow'
    ask() {
      return this.allowed as 'allow'
    }
  }
  for (const kind of askKinds.filter((name) => name !== 'input' && name !== 'message')) {
    expect(askerOf({ ask: () => 'allow' }).has(kind)).toBe(true)
    expect(await answerOf(() => 'allow', kind)).toEqual({ decision: 'allow' })
    expect(await answerOf(new Policy(), kind)).toEqual({ decision: 'allow' })
    const queue = new ApprovalQueue()
    const answer = answerOf(queue, kind)
    await microtasks()
    expect(queue.pending).toMatchObject([{ kind }])
    queue.answer(requests[kind].id, 'allow')
    expect(await answer).toMatchObject({ decision: 'allow' })
  }
})

it('functions by kind answer their own kind; the others keep their default', async () => {
  const asker = askerOf({ ask: { network: ({ host }) => (host === 'a.test' ? 'allow' : 'deny') } })
  expect(askKinds.filter((kind) => asker.has(kind))).toEqual(['network'])
  expect(await asker.ask(requests.network, { signal })).toEqual({ decision: 'allow' })
  for (const kind of askKinds.filter((name) => name !== 'network'))
    expect((await asker.ask(about(kind), { signal }))?.decision).toBe(defaults[kind])
})

it.each<[string, object, object]>([
  ['an unknown kind', { ask: { codes: () => 'allow' } }, { option: 'ask' }],
  ['a kind that is not a function', { ask: { code: 'allow' } }, { option: 'ask' }],
  ['a word', { ask: 'allow' }, { option: 'ask' }],
])('refuses %s', (_, options, data) => {
  expect(() => askerOf(options)).toThrowError(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: expect.objectContaining(data) }),
  )
})

it('writes out the short answers', async () => {
  const answer = await answerOf(() => 'deny', 'tool')
  expect(answer).toMatchObject({ decision: 'deny', reason: expect.any(String) })
})

it('`undefined` allows by accident neither code nor a process or file that could run it', async () => {
  const silent = { ...defaults, file: 'deny', process: 'deny' }
  for (const kind of askKinds.filter((name) => name !== 'code'))
    expect((await answerOf(() => undefined, kind))?.decision).toBe(silent[kind])
  await expect(answerOf(() => undefined, 'code')).rejects.toMatchObject({ code: 'INVALID_APPROVAL' })
})

const edit = { decision: 'edit', blocks: [{ language: 'sh', code: 'ls' }] }
const text = { decision: 'answer', text: 'one' }
const lines = { decision: 'answer', text: 'one\ntwo' }

it.each<[AskKind, unknown[], unknown[]]>([
  ['code', ['allow', edit], [text, { ...edit, blocks: [] }, 'yes', true, null]],
  ['tool', ['allow'], [edit, text]],
  ['network', ['allow', { decision: 'allow', remember: 'run' }], [edit, text]],
  ['install', ['allow'], [edit, text]],
  ['file', ['allow'], [edit, text]],
  ['process', ['allow'], [edit, text]],
  ['input', [text], ['allow', edit, lines]],
  ['message', [text, lines], ['allow', edit]],
])('checks an answer by the kind of its request: %s', async (kind, right, wrong) => {
  for (const answer of [...right, 'deny', { decision: 'deny', reason: 'No.' }])
    expect(await answerOf(() => answer, kind)).toHaveProperty('decision')
  for (const answer of [...wrong, 'maybe', {}, { decision: 'deny' }]) {
    const asking = answerOf(() => answer, kind)
    if (kind === 'code' || kind === 'message')
      await expect(asking).rejects.toMatchObject({ code: 'INVALID_APPROVAL', data: { kind } })
    else expect(await asking).toMatchObject({ decision: 'deny' })
  }
})

it('an approver that cannot be reached denies everything but code, which fails', async () => {
  const ask = () => {
    throw new Error('no terminal')
  }
  for (const kind of askKinds.filter((name) => name !== 'code')) {
    const answer = await answerOf(ask, kind)
    expect(answer).toMatchObject({ decision: 'deny', reason: expect.stringContaining('no terminal') })
  }
  await expect(answerOf(ask, 'code')).rejects.toMatchObject({
    code: 'APPROVAL_UNAVAILABLE',
    data: { agent: 'coder', reason: 'no terminal' },
  })
})

it('an expired question is denied, and the approver is told by its signal', async () => {
  for (const kind of askKinds) {
    const queue = new ApprovalQueue()
    const answer = await askerOf({ ask: queue, askTimeoutMs: 20 }).ask(about(kind), { signal })
    expect(answer).toMatchObject({ decision: 'deny', reason: expect.stringContaining('20 ms') })
    expect(queue.pending).toEqual([])
  }
})

it('a cancelled question rejects with the reason of its signal', async () => {
  const stop = new AbortController()
  const queue = new ApprovalQueue()
  for (const kind of ['code', 'tool'] as const) {
    const asking = askerOf({ ask: queue }).ask(about(kind), { signal: stop.signal })
    stop.abort(new FencedError({ code: 'STOPPED', message: 'Stopped.' }))
    await expect(asking).rejects.toMatchObject({ code: 'STOPPED' })
  }
  expect(queue.pending).toEqual([])
})

it('the approver cannot change what was shown to it', async () => {
  const request = structuredClone(requests.install)
  const asker = askerOf({ ask: { install: ({ packages }) => void (packages as string[]).push('evil') } })
  await asker.ask(request, { signal })
  expect(request).toEqual(requests.install)
})
