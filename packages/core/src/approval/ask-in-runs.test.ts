import { expect, it, vi } from 'vitest'
import { askingExecutor } from '../asking-executor.ts'
import { blocks, fakeExecutor, type Program } from '../engine/fake-driver.fixture.ts'
import { executeStream } from '../execute-stream.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import type { NetworkObserver } from '../network/network-observer.ts'
import { runApproved } from '../run-approved.ts'
import { foreignSignal } from '../running/foreign-signal.fixture.ts'
import { codeExecutionTool } from '../tool/code-execution-tool.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { ApprovalRequest, Ask, AskAnswer, AskKind } from './ask.ts'
import type { InstallRequest } from './ask-requests.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { approvalDigest } from './digest.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'
import { MemoryLedgerStore } from './ledger-store.ts'
import type { ToolApprovalRequest } from './tool-request.ts'

const write = async (io: Parameters<Program>[0], value: unknown) => {
  await io.write('stdout', Buffer.from(`${value}\n`))
  return { exitCode: 0 }
}

/** An executor in which every kind of question occurs: each program causes the one of its name. */
function makeExecutor(install?: () => Promise<void>, redact: string[] = []) {
  const observers: NetworkObserver[] = []
  const installed: string[] = []
  const { executor, steps } = fakeExecutor({
    network: {
      watch(observer: NetworkObserver): Disposable {
        observers.push(observer)
        return { [Symbol.dispose]: () => void observers.splice(observers.indexOf(observer), 1) }
      },
    },
    packages: {
      advise: async () => ({ advice: 'Install it.' }),
      install: install ?? (async (packages) => void installed.push(...packages)),
    },
    capabilities: { inputRequests: true, toolLanguages: ['python'] },
    options: { missingPackages: 'install', installablePackages: ['rich>=13'], redact },
    programs: {
      network: async (io) => {
        const request = {
          kind: 'network',
          id: 'n',
          digest: '',
          question: '?',
          host: 'a.test',
          port: 443,
        } as const
        const answer = await observers.at(-1)?.ask?.(request, { signal: io.signal })
        return write(io, typeof answer === 'object' ? answer.decision : (answer ?? 'refused'))
      },
      input: async (io) => write(io, await io.readLine?.({ prompt: '?' })),
      tool: async (io) =>
        write(io, await io.tools?.answer(JSON.stringify({ id: 1, tool: 'pay', input: {} }))),
      strict: async (io) =>
        write(io, await io.tools?.answer(JSON.stringify({ id: 1, tool: 'sign', input: {} }))),
      install: async (io) => {
        if (installed.length > 0) return write(io, 'imported')
        await io.write('stderr', Buffer.from("ModuleNotFoundError: No module named 'rich'\n"))
        return { exitCode: 1 }
      },
    },
  })
  return { executor, steps, installed }
}

const tools = { pay: () => 'paid', sign: { needsApproval: true, execute: () => 'signed' } }

/** An approver that notes the kinds about which it is asked. */
function noting(answers: Partial<Record<AskKind, AskAnswer>> = {}) {
  const kinds: AskKind[] = []
  const ask = ({ kind }: ApprovalRequest) => {
    kinds.push(kind)
    return answers[kind] ?? (kind === 'input' ? ({ decision: 'answer', text: 'Ann' } as const) : 'allow')
  }
  return { ask, kinds }
}

const all = ['network', 'input', 'tool', 'install']
const asked = ['code', 'network', 'input', 'tool', 'install']
const allowed = 'allow\nAnn\n{"id":1,"output":"paid"}\nimported\n'

it('a function is asked about every kind that occurs, and so is an object with `ask`', async () => {
  for (const take of [(ask: Ask) => ask, (ask: Ask) => ({ ask }) as Ask]) {
    const { executor } = makeExecutor()
    const { ask, kinds } = noting()
    const { output } = await askingExecutor(executor, take(ask)).execute(blocks(...all), { tools })
    expect(kinds).toEqual(asked)
    expect(output).toBe(allowed)
  }
})

/** The events about questions: their kinds, and how they were answered. */
async function questionsIn(execution: Execution): Promise<[string, string][]> {
  const kinds = new Map<string, string>()
  const seen: [string, string][] = []
  for await (const event of execution) {
    if (event.type === 'approval-requested') {
      kinds.set(event.request.id, event.request.kind)
      seen.push([event.request.kind, 'requested'])
    }
    if (event.type === 'approval-answered') seen.push([kinds.get(event.id) ?? '', event.answer.decision])
    if (event.type === 'approval-withdrawn') seen.push([kinds.get(event.id) ?? '', 'withdrawn'])
  }
  return seen
}

it('each question is an event of the run, and so is its answer', async () => {
  for (const wrapped of [true, false]) {
    const { executor } = makeExecutor()
    const { ask } = noting({ network: 'deny' })
    const execution = wrapped
      ? askingExecutor(executor, ask).execute(blocks(...all), { tools })
      : executor.execute(blocks(...all), { tools, ask })
    expect(await questionsIn(execution)).toEqual(
      asked.flatMap((kind) => [
        [kind, 'requested'],
        [kind, { network: 'deny', input: 'answer' }[kind] ?? 'allow'],
      ]),
    )
  }
})

it('a question without an approver is no event', async () => {
  const { executor } = makeExecutor()
  expect(await questionsIn(executor.execute(blocks(...all), { tools, ask: {} }))).toEqual([])
})

it('a question that nothing waits for anymore is withdrawn in the events', async () => {
  const { executor } = makeExecutor()
  const stop = new AbortController()
  const input = () => {
    stop.abort()
    return new Promise<never>(() => {})
  }
  const execution = executor.execute(blocks('input'), { ask: { input }, signal: stop.signal })
  expect(await questionsIn(execution)).toEqual([
    ['input', 'requested'],
    ['input', 'withdrawn'],
  ])
})

it('an event about a question hides what is redacted, and the approver reads all of it', async () => {
  const { executor } = makeExecutor(undefined, ['pay'])
  const requests: ToolApprovalRequest[] = []
  const tool = (request: ToolApprovalRequest) => {
    requests.push(request)
    return { decision: 'deny', reason: 'Nobody will pay.' } as const
  }
  const events: ExecutionEvent[] = []
  for await (const event of executor.execute(blocks('tool'), { ask: { tool }, tools })) events.push(event)
  const shown = events.filter(({ type }) => type.startsWith('approval'))
  const [request] = requests
  expect(request).toMatchObject({ tool: 'pay' })
  expect(shown).toMatchObject([
    { request: { kind: 'tool', id: request?.id, digest: request?.digest, tool: '[redacted]' } },
    { id: request?.id, answer: { decision: 'deny', reason: 'Nobody will [redacted].' } },
  ])
  expect(JSON.stringify(shown)).not.toContain('pay')
})

it('a function about code alone leaves the other kinds at their defaults', async () => {
  const { executor, installed } = makeExecutor()
  const { output } = await askingExecutor(executor, { code: () => 'allow' }).execute(blocks(...all), {
    tools,
  })
  expect(output).toBe('refused\nundefined\n{"id":1,"output":"paid"}\nimported\n')
  expect(installed).toEqual(['rich>=13'])
})

it('`undefined` is the default of a kind, also for a tool that needs an approval', async () => {
  const { executor, installed } = makeExecutor()
  const careful = askingExecutor(executor, ({ kind }) => (kind === 'code' ? 'allow' : undefined))
  const { output } = await careful.execute(blocks('network', 'tool', 'strict', 'install'), { tools })
  expect(output).toContain('deny\n{"id":1,"output":"paid"}\n')
  expect(output).toContain('"kind":"denied"')
  expect(output).not.toContain('signed')
  expect(installed).toEqual(['rich>=13'])
})

it('an approver that throws denies all but code, and says why', async () => {
  const { executor, installed } = makeExecutor()
  const careful = askingExecutor(executor, ({ kind }) => {
    if (kind === 'code') return 'allow'
    throw new Error('connection lost')
  })
  const { output, blocks: ran } = await careful.execute(blocks('network', 'input', 'tool', 'install'), {
    tools,
  })
  expect(output).toContain('deny\nundefined\n')
  expect(output).toContain('connection lost')
  expect(output).not.toContain('paid')
  expect(installed).toEqual([])
  const notices = ran.flatMap(({ notices }) => notices)
  expect(notices).toContainEqual(
    expect.objectContaining({
      code: 'install-denied',
      data: expect.objectContaining({ module: 'rich', requirement: 'rich>=13' }),
    }),
  )
})

it('a question about a package comes before its installation, and a denial installs nothing', async () => {
  const { executor, installed } = makeExecutor()
  const requests: unknown[] = []
  const install = (request: ApprovalRequest) => {
    requests.push([request, installed.length])
    return { decision: 'deny', reason: 'Not this one.' } as const
  }
  const result = await executor.execute(blocks('install'), { ask: { install: install } })
  expect(requests).toMatchObject([
    [{ kind: 'install', packages: ['rich>=13'], target: { executor: executor.name }, blockIndex: 0 }, 0],
  ])
  const [[request]] = requests as [[InstallRequest, number]]
  expect(request.digest).toBe(approvalDigest(request))
  expect(installed).toEqual([])
  expect(result.status).toBe('error')
  expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['missing-package', 'install-denied'])
})

it.each<[string, AskAnswer<'install'>, object]>([
  ['that was made', 'allow', { state: 'finished', decidedBy: 'rule' }],
  [
    'that a person denied',
    { decision: 'deny', reason: 'No.', by: 'person' },
    { state: 'denied', decidedBy: 'person' },
  ],
])('an installation %s is in the ledger', async (_, install, record) => {
  const { executor } = makeExecutor()
  const ledger = new DecisionLedger()
  const careful = askingExecutor(executor, { code: () => 'allow', install: () => install }, { ledger })
  await careful.execute(blocks('install'))
  const target = { executor: executor.name }
  expect((await ledger.list()).filter(({ kind }) => kind === 'install')).toMatchObject([
    { ...record, target },
  ])
})

it('an installation that was stopped has an unknown end, and the next question about it says so', async () => {
  const stop = new AbortController()
  const { executor } = makeExecutor(async () => stop.abort())
  const ledger = new DecisionLedger()
  const questions: InstallRequest[] = []
  const install = (request: InstallRequest) => {
    questions.push(request)
    return 'allow' as const
  }
  const careful = askingExecutor(executor, { code: () => 'allow', install }, { ledger })
  const stopped = await careful.execute(blocks('install'), { signal: stop.signal })
  expect(stopped.status).toBe('cancelled')
  await careful.execute(blocks('install'))
  const records = (await ledger.list()).filter(({ kind }) => kind === 'install')
  expect(records).toMatchObject([{ state: 'unknown' }, { state: 'finished', after: records[0]?.id }])
  expect(questions[1]?.question).toContain('This installation may have been made already.')
})

it('a ledger that cannot be written denies an installation', async () => {
  const { executor, installed } = makeExecutor()
  const store = new MemoryLedgerStore()
  vi.spyOn(store, 'create').mockRejectedValue(new Error('The disk is full.'))
  const ledger = new DecisionLedger({ store })
  const result = await executor.execute(blocks('install'), {
    ledger,
    ask: { install: () => ({ decision: 'allow' }) },
  })
  expect(installed).toEqual([])
  expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['missing-package', 'install-denied'])
})

it('a question about a package waits no longer than `maxWaitMs`', async () => {
  const { executor, installed } = makeExecutor()
  const options = { ask: { install: () => new Promise<never>(() => {}) }, maxWaitMs: 20 }
  const result = await executor.execute(blocks('install'), options)
  expect(result.status).toBe('timeout')
  expect(result.blocks[0]?.notices).toContainEqual(expect.objectContaining({ code: 'timeout' }))
  expect(installed).toEqual([])
})

it('an expired question denies, and says so', async () => {
  const { executor } = makeExecutor()
  const hang = () => new Promise<never>(() => {})
  const careful = askingExecutor(executor, { code: () => 'allow', tool: hang }, { askTimeoutMs: 20 })
  expect((await careful.execute(blocks('tool'), { tools })).output).toContain('20 ms')
  const ledger = new DecisionLedger()
  const late = askingExecutor(executor, hang, { askTimeoutMs: 20, ledger })
  const { status, output } = await late.execute(blocks('ok'))
  expect(await ledger.list()).toMatchObject([{ state: 'expired' }])
  expect(status).toBe('denied')
  expect(output).toContain('20 ms')
})

it('a kind that cannot occur is no error', async () => {
  const inner = new EchoExecutor()
  const { ask, kinds } = noting()
  expect(await askingExecutor(inner, ask).execute(blocks('one'))).toMatchObject({ status: 'ok' })
  expect(kinds).toEqual(['code'])
})

it('a call of `execute` decides about a kind instead', async () => {
  const { executor } = makeExecutor()
  const { ask, kinds } = noting()
  const deny = () => ({ decision: 'deny', reason: 'No.' }) as const
  const careful = askingExecutor(executor, ask)
  const ownCall = await careful.execute(blocks('tool'), { tools, ask: { tool: deny } })
  expect(ownCall.output).toContain('No.')
  expect(kinds).toEqual(['code'])
})

it.each<[string, unknown, object]>([
  ['no function for code', { network: () => 'allow' }, { kind: 'code' }],
  ['an unknown kind', { codes: () => 'allow' }, { option: 'ask' }],
  ['nothing', undefined, { option: 'ask' }],
])('is refused with %s', (_, ask, data) => {
  expect(() => askingExecutor(new EchoExecutor(), ask as Ask)).toThrowError(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: expect.objectContaining(data) }),
  )
})

async function outputsOf<Output>(outputs: AsyncIterable<Output>): Promise<Output[]> {
  const all: Output[] = []
  for await (const output of outputs) all.push(output)
  return all
}

it('the code of a tool is asked about, and an answer is remembered for its later calls', async () => {
  const { executor } = makeExecutor()
  const { ask, kinds } = noting({ code: { decision: 'allow', remember: 'code' } })
  const tool = codeExecutionTool(executor, { ask, tools })
  for (const code of ['tool', 'tool', 'input']) {
    const outputs = await outputsOf(tool.execute({ code }))
    expect(outputs.at(-1)).toMatchObject({ status: 'ok' })
  }
  expect(kinds).toEqual(['code', 'tool', 'tool', 'code', 'input'])
  expect(tool.description).not.toContain('cannot ask for input')
})

it('a denial of the code is the output of the tool', async () => {
  const { executor, steps } = makeExecutor()
  const tool = codeExecutionTool(executor, {
    ask: { code: () => ({ decision: 'deny', reason: 'Too long.' }) },
  })
  const outputs = await outputsOf(tool.execute({ code: 'ok' }))
  expect(outputs.at(-1)).toMatchObject({ status: 'denied', output: expect.stringContaining('Too long.') })
  expect(steps).toEqual([])
})

it('a tool without a function for code runs it, and asks about the rest', async () => {
  const { executor } = makeExecutor()
  const kinds: AskKind[] = []
  const ask = ({ kind }: ApprovalRequest) => {
    kinds.push(kind)
    return 'allow' as const
  }
  const tool = codeExecutionTool(executor, { ask: { network: ask, tool: ask }, tools })
  const outputs = await outputsOf(tool.execute({ code: 'network' }))
  expect(outputs.at(-1)).toMatchObject({ output: 'allow\n' })
  expect(kinds).toEqual(['network'])
})

async function* answerOf(...programs: string[]) {
  for (const name of programs) yield `~~~python\n${name}\n~~~\n`
}

it('a streamed answer is asked about block by block, with their positions', async () => {
  const { executor } = makeExecutor()
  const seen: [string, number | undefined][] = []
  const ask = (request: ApprovalRequest) => {
    seen.push([request.kind, 'blockIndex' in request ? request.blockIndex : undefined])
    return request.kind === 'input' ? ({ decision: 'answer', text: 'Ann' } as const) : 'allow'
  }
  const result = await executeStream(executor, answerOf(...all), { ask, tools })
  expect(result.output).toBe(allowed)
  expect(seen.filter(([kind]) => kind !== 'code')).toEqual([
    ['network', 0],
    ['input', 1],
    ['tool', 2],
    ['install', 3],
  ])
  expect(seen.filter(([kind]) => kind === 'code')).toHaveLength(4)
})

it('a signal of another realm cancels a question and a stream', async () => {
  for (const run of [
    (signal: AbortSignal) =>
      askingExecutor(makeExecutor().executor, hanging).execute(blocks('ok'), { signal }),
    (signal: AbortSignal) => executeStream(makeExecutor().executor, answerOf('ok'), { signal, ask: hanging }),
  ]) {
    const { signal, abort } = foreignSignal()
    const begun = Promise.withResolvers<void>()
    onAsked = begun.resolve
    const running = run(signal)
    await begun.promise
    abort(new Error('over there'))
    expect(await running).toMatchObject({ status: 'cancelled' })
  }
})

let onAsked = () => {}
function hanging() {
  onAsked()
  return new Promise<never>(() => {})
}

it('what was approved earlier asks about the other kinds of its run', async () => {
  const { executor } = makeExecutor()
  const answered = async () => {
    let kept: CodeApprovalRequest | undefined
    const later = askingExecutor(executor, {
      code: (request) => {
        kept = request
        return 'deny'
      },
    })
    await later.execute(blocks('network'))
    return { request: kept as CodeApprovalRequest, answer: { decision: 'allow' } } as const
  }
  const { ask, kinds } = noting()
  expect((await runApproved(executor, await answered())).output).toBe('refused\n')
  expect((await runApproved(executor, await answered(), { ask })).output).toBe('allow\n')
  expect(kinds).toEqual(['network'])
})
