import { expect, it } from 'vitest'
import { ApprovalQueue } from '../approval/approval-queue.ts'
import type { AskAbout } from '../approval/ask.ts'
import { DecisionLedger } from '../approval/decision-ledger.ts'
import { approvalDigest } from '../approval/digest.ts'
import { type LedgerStep, type LedgerStore, MemoryLedgerStore } from '../approval/ledger-store.ts'
import type { ToolApprovalAnswer, ToolApprovalRequest } from '../approval/tool-request.ts'
import { askingExecutor } from '../asking-executor.ts'
import type { ExecuteOptions } from '../code-executor.ts'
import { fakeExecutor, type Program } from '../engine/fake-driver.fixture.ts'
import { executeStream } from '../execute-stream.ts'
import { codeExecutionTool } from '../tool/code-execution-tool.ts'

const blocks = [{ language: 'python', code: 'pays' }]

/** An executor whose program calls the tool `pay`, its answer for the program, and how often the tool was called. */
function paying(execute: () => unknown = () => 'paid') {
  const answers: { readonly output?: unknown; readonly error?: { readonly kind: string } }[] = []
  const pays: Program = async ({ tools }) => {
    answers.push(JSON.parse((await tools?.answer('{"id":1,"tool":"pay","input":{"amount":5}}')) ?? ''))
    return { exitCode: 0 }
  }
  const { executor } = fakeExecutor({ programs: { pays }, capabilities: { toolLanguages: ['python'] } })
  let calls = 0
  const pay = () => {
    calls++
    return execute()
  }
  return { executor, tools: { pay }, answers, calls: () => calls }
}

/** Keeps the requests, and gives the same answer to each. */
function answering(answer: ToolApprovalAnswer = { decision: 'allow' }) {
  const requests: ToolApprovalRequest[] = []
  const tool: AskAbout<'tool'> = (request) => {
    requests.push(request)
    return answer
  }
  return { requests, ask: { tool } }
}

/** A store in memory that does not write a step. */
function withoutStep(failing: LedgerStep): LedgerStore {
  const store = new MemoryLedgerStore()
  return {
    create: async (key, entry) => {
      if (key.step === failing) throw new Error('The disk is full.')
      return await store.create(key, entry)
    },
    read: (id) => store.read(id),
    list: () => store.list(),
    remove: (id) => store.remove(id),
  }
}

it.each<[string, ToolApprovalAnswer, object, number]>([
  ['allowed', { decision: 'allow' }, { state: 'finished', decidedBy: 'rule' }, 1],
  ['allowed by a person', { decision: 'allow', by: 'person' }, { state: 'finished', decidedBy: 'person' }, 1],
  ['denied', { decision: 'deny', reason: 'No.' }, { state: 'denied', decidedBy: 'rule' }, 0],
])('the ledger has a call of a program that was %s', async (_, answer, record, calls) => {
  const program = paying()
  const { requests, ask } = answering(answer)
  const ledger = new DecisionLedger()
  await program.executor.execute(blocks, { tools: program.tools, ask, ledger })
  const [request] = requests
  const { id, digest } = request as ToolApprovalRequest
  expect(digest).toBe(approvalDigest(request as ToolApprovalRequest))
  expect(await ledger.list()).toMatchObject([{ id, kind: 'tool', digest, ...record }])
  expect(program.calls()).toBe(calls)
})

it('the digest of a call counts bytes among its arguments', async () => {
  const digests: string[] = []
  const store: Program = async ({ tools }) => {
    for (const bytes of ['AP8=', 'AP8=', 'AP4='])
      await tools?.answer(`{"id":1,"tool":"store","input":{"data":{"$bytes":"${bytes}"}}}`)
    return { exitCode: 0 }
  }
  const { executor } = fakeExecutor({
    programs: { pays: store },
    capabilities: { toolLanguages: ['python'] },
  })
  const tool: AskAbout<'tool'> = ({ digest }) => {
    digests.push(digest)
    return { decision: 'allow' }
  }
  await executor.execute(blocks, { tools: { store: () => 'stored' }, ask: { tool } })
  expect(digests).toHaveLength(3)
  expect([digests[0] === digests[1], digests[1] === digests[2]]).toEqual([true, false])
})

it('a call that was left behind is unknown, and the next question about it names it', async () => {
  const program = paying(() => new Promise(() => {}))
  const { requests, ask } = answering()
  const ledger = new DecisionLedger()
  const options = {
    tools: program.tools,
    ask,
    ledger,
    toolLimits: { callTimeoutMs: 1 },
  }
  await program.executor.execute(blocks, options)
  expect(await ledger.list()).toMatchObject([{ state: 'unknown' }])
  await program.executor.execute(blocks, options)
  const [first, second] = requests
  expect(second?.after).toBe(first?.id)
  expect(second?.question).toBe(`${first?.question} This call may have been made already.`)
  expect((await ledger.list()).map(({ after }) => after)).toEqual([undefined, first?.id])
})

it('a call whose block was stopped is recorded before the block ends', async () => {
  const stop = new AbortController()
  const program = paying(() => {
    stop.abort()
    return new Promise(() => {})
  })
  const { ask } = answering()
  const ledger = new DecisionLedger()
  const { tools } = program
  await program.executor.execute(blocks, { tools, ask, ledger, signal: stop.signal })
  expect(await ledger.list()).toMatchObject([{ state: 'unknown' }])
})

it('a question that ends with its block is withdrawn', async () => {
  const stop = new AbortController()
  const program = paying()
  const ledger = new DecisionLedger()
  const tool: AskAbout<'tool'> = () => {
    stop.abort()
    return new Promise(() => {})
  }
  const { tools } = program
  await program.executor.execute(blocks, { tools, ask: { tool }, ledger, signal: stop.signal })
  expect(await ledger.list()).toMatchObject([{ state: 'withdrawn' }])
  expect(program.calls()).toBe(0)
})

it.each<LedgerStep>(['asked', 'decided', 'started'])(
  'a call is denied where the ledger cannot record that it was %s',
  async (step) => {
    const program = paying()
    const { ask } = answering()
    const ledger = new DecisionLedger({ store: withoutStep(step) })
    await program.executor.execute(blocks, { tools: program.tools, ask, ledger })
    expect(program.answers).toMatchObject([{ error: { kind: 'denied' } }])
    expect(program.calls()).toBe(0)
  },
)

it('the failure of a call is its end, and stays a failure', async () => {
  const program = paying(() => {
    throw new Error('no money')
  })
  const { ask } = answering()
  const ledger = new DecisionLedger()
  await program.executor.execute(blocks, { tools: program.tools, ask, ledger })
  expect(program.answers).toMatchObject([{ error: { kind: 'failed', message: 'no money' } }])
  expect(await ledger.list()).toMatchObject([{ state: 'finished' }])
})

it.each<
  [string, (ledger: DecisionLedger, options: ExecuteOptions, made: ReturnType<typeof paying>) => unknown]
>([
  [
    'askingExecutor',
    (ledger, options, { executor }) =>
      askingExecutor(executor, () => 'allow', { ledger }).execute(blocks, options),
  ],
  [
    'askingExecutor, where the call of execute decides about tools',
    (ledger, options, { executor }) =>
      askingExecutor(executor, { code: () => 'allow' }, { ledger }).execute(blocks, {
        ...options,
        ask: answering().ask,
      }),
  ],
  [
    'executeStream',
    (ledger, options, { executor }) =>
      executeStream(executor, text(), { ...options, ask: () => 'allow', ledger }),
  ],
  [
    'codeExecutionTool',
    async (ledger, options, { executor }) => {
      const tool = codeExecutionTool(executor, { ...options, ask: () => 'allow', ledger })
      for await (const _ of tool.execute({ language: 'python', code: 'pays' }));
    },
  ],
])('%s records the program and its call in one ledger', async (_, run) => {
  const program = paying()
  const ledger = new DecisionLedger()
  await run(ledger, { tools: program.tools }, program)
  const records = (await ledger.list()).map(({ kind, state }) => `${kind} ${state}`)
  expect(records.toSorted()).toEqual(['code finished', 'tool finished'])
  expect(program.calls()).toBe(1)
})

it('a call that began elsewhere is denied', async () => {
  const program = paying()
  const ledger = new DecisionLedger()
  const questions = new ApprovalQueue()
  const running = program.executor.execute(blocks, {
    tools: program.tools,
    ask: { tool: questions.ask },
    ledger,
  })
  await questions.events().next()
  const [request] = questions.pending
  const { id, digest } = request as ToolApprovalRequest
  await ledger.decide(id, { state: 'allowed', by: 'person', digest })
  await ledger.start(id, digest)
  questions.answer(id, 'allow')
  await running
  expect(program.answers).toMatchObject([{ error: { kind: 'denied' } }])
  expect(program.calls()).toBe(0)
})

async function* text(): AsyncGenerator<string> {
  yield '```python\npays\n```\n'
}
