import { expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../src/approval/approval-queue.ts'
import { executeAbout } from '../../src/approval/asks-about-code.ts'
import { approvalDigest } from '../../src/approval/digest.ts'
import type { NetworkApprovalAnswer, NetworkApprovalRequest } from '../../src/approval/network-request.ts'
import { askingExecutor } from '../../src/asking-executor.ts'
import { blocks, fakeExecutor, type Program } from '../../src/engine/fake-driver.fixture.ts'
import { executeStream } from '../../src/execute-stream.ts'
import type { NetworkObserver } from '../../src/network/network-observer.ts'
import { stopClock } from './stop-clock.ts'

/** An executor whose programs connect, as the gate of a sandbox lets them: to who decides now. */
function makeExecutor({ timeoutMs = 60_000 } = {}) {
  const observers: NetworkObserver[] = []
  const network = {
    watch(observer: NetworkObserver): Disposable {
      observers.push(observer)
      return { [Symbol.dispose]: () => void observers.splice(observers.indexOf(observer), 1) }
    },
  }
  let count = 0
  const connect = async (
    host: string,
    signal: AbortSignal,
    port = 443,
  ): Promise<NetworkApprovalAnswer | undefined> => {
    const { ask } = observers.at(-1) ?? {}
    const question = `A program wants to connect to ${host}, port ${port}.`
    const request = { kind: 'network', id: `${count++}`, digest: '', question, host, port } as const
    return (await ask?.(request, { signal })) as NetworkApprovalAnswer | undefined
  }
  const says =
    (...hosts: string[]): Program =>
    async (io) => {
      for (const host of hosts) {
        const answer = await connect(host, new AbortController().signal)
        await io.write('stdout', Buffer.from(`${host} ${answer?.decision ?? 'refused'}\n`))
      }
      return { exitCode: 0 }
    }
  const made = fakeExecutor({
    network,
    programs: {
      one: says('one.test'),
      twice: says('one.test', 'one.test'),
      two: says('one.test', 'two.test'),
      many: says(...Array.from({ length: 102 }, (_, index) => `${index}.test`)),
      ports: async (io) => {
        const { signal } = new AbortController()
        const ofOne = await Promise.all(
          Array.from({ length: 21 }, (_, port) => connect('one.test', signal, port)),
        )
        const ofTwo = await connect('two.test', signal)
        await io.write('stdout', Buffer.from([...ofOne, ofTwo].map((answer) => answer?.decision).join(' ')))
        return { exitCode: 0 }
      },
      atOnce: async (io) => {
        const { signal } = new AbortController()
        const answers = await Promise.all([1, 2, 3].map(() => connect('one.test', signal)))
        await io.write('stdout', Buffer.from(answers.map((answer) => answer?.decision).join(' ')))
        return { exitCode: 0 }
      },
      /** Ends, and leaves a connection that waits. */
      leaving: async () => {
        void connect('one.test', new AbortController().signal).catch(() => {})
        return { exitCode: 0 }
      },
    },
    options: { timeoutMs },
  })
  return { ...made, observers }
}

it('asks with the executor and the block, and the clock of the program stands meanwhile', async () => {
  stopClock()
  const { executor } = makeExecutor({ timeoutMs: 200 })
  const questions = new ApprovalQueue()
  const running = executor.execute(blocks('ok', 'one'), { ask: { network: questions.ask } })
  await questions.events().next()
  const [request] = questions.pending
  expect(request).toMatchObject({ kind: 'network', host: 'one.test', port: 443 })
  expect(request?.digest).toBe(approvalDigest(request as NetworkApprovalRequest))
  expect(request).toMatchObject({
    executor: 'fake',
    blockIndex: 1,
    question: expect.stringContaining('one.test'),
  })
  vi.advanceTimersByTime(400)
  questions.answer(request?.id ?? '', { decision: 'allow' })
  expect(await running).toMatchObject({ status: 'ok', output: 'one.test allow\n' })
})

it('asks once more after an answer for one connection, and not after one for the run', async () => {
  const { executor } = makeExecutor()
  let asked = 0
  const run = async (answer: NetworkApprovalAnswer, ...names: string[]) => {
    asked = 0
    const approveNetwork = () => {
      asked++
      return answer
    }
    return (await executor.execute(blocks(...names), { ask: { network: approveNetwork } })).output
  }
  await run({ decision: 'allow' }, 'twice')
  expect(asked).toBe(2)
  await run({ decision: 'allow', remember: 'run' }, 'two', 'twice')
  expect(asked).toBe(2)
  expect(await run({ decision: 'deny', reason: 'no', remember: 'run' }, 'twice')).toBe(
    'one.test deny\n'.repeat(2),
  )
  expect(asked).toBe(1)
})

it('lets an answer for the run be one for connections to the same host that wait', async () => {
  const { executor } = makeExecutor()
  const questions = new ApprovalQueue()
  const running = executor.execute(blocks('atOnce'), { ask: { network: questions.ask } })
  await questions.events().next()
  questions.answer(questions.pending[0]?.id ?? '', { decision: 'allow', remember: 'run' })
  expect((await running).output).toBe('allow allow allow')
})

it('asks about a hundred hosts in a run, and denies the others', async () => {
  const { executor } = makeExecutor()
  const approveNetwork = vi.fn(() => ({ decision: 'allow' }) as const)
  const { output } = await executor.execute(blocks('many'), { ask: { network: approveNetwork } })
  expect(approveNetwork).toHaveBeenCalledTimes(100)
  expect(output).toContain('99.test allow\n100.test deny\n101.test deny\n')
})

it('asks about twenty ports of a host, and then about another host', async () => {
  const { executor } = makeExecutor()
  const { output } = await executor.execute(blocks('ports'), {
    ask: { network: () => ({ decision: 'allow' }) },
  })
  expect(output).toBe(`${'allow '.repeat(20)}deny allow`)
})

it('withdraws a question when its block is cancelled, and when its program has ended', async () => {
  const { executor } = makeExecutor()
  const questions = new ApprovalQueue()
  const cancel = new AbortController()
  const ask = { network: questions.ask }
  const running = executor.execute(blocks('one'), { ask, signal: cancel.signal })
  await questions.events().next()
  cancel.abort()
  expect((await running).status).toBe('cancelled')
  expect(questions.pending).toEqual([])
  expect((await executor.execute(blocks('leaving'), { ask })).status).toBe('ok')
  expect(questions.pending).toEqual([])
})

it('withdraws a question that has no answer within `maxWaitMs`, and ends the block', async () => {
  stopClock()
  const { executor } = makeExecutor()
  const questions = new ApprovalQueue()
  const ask = { network: questions.ask }
  const running = executor.execute(blocks('one'), { ask, maxWaitMs: 5_000 })
  await questions.events().next()
  vi.advanceTimersByTime(5_000)
  const { status, blocks: ran } = await running
  expect(status).toBe('timeout')
  expect(ran[0]?.notices).toMatchObject([{ code: 'timeout', data: { limitMs: '5000', option: 'maxWaitMs' } }])
  expect(questions.pending).toEqual([])
})

it('asks nobody in a run without it', async () => {
  const { executor, observers } = makeExecutor()
  const approveNetwork = () => ({ decision: 'allow' }) as const
  expect((await executor.execute(blocks('one'), { ask: { network: approveNetwork } })).output).toBe(
    'one.test allow\n',
  )
  expect((await executor.execute(blocks('one'))).output).toBe('one.test refused\n')
  expect(observers).toEqual([])
})

it('is one run for all blocks of a text, each with its own number', async () => {
  const { executor } = makeExecutor()
  const asked: unknown[] = []
  async function* text(): AsyncGenerator<string> {
    for (const name of ['ok', 'one', 'two']) yield `\`\`\`python\n${name}\n\`\`\`\n`
  }
  await executeStream(executor, text(), {
    ask: {
      network: ({ host, blockIndex }) => {
        asked.push([host, blockIndex])
        return { decision: 'allow', remember: 'run' }
      },
    },
  })
  expect(asked).toEqual([
    ['one.test', 1],
    ['two.test', 2],
  ])
})

it('comes with an executor that asks about code, for all that run blocks in it', async () => {
  const { executor } = makeExecutor()
  const approveNetwork = () => ({ decision: 'allow' }) as const
  const careful = askingExecutor(executor, { code: () => 'allow', network: approveNetwork })
  expect((await careful.execute(blocks('one'))).output).toBe('one.test allow\n')
})

it('asks nobody where the network is open', async () => {
  const { executor } = fakeExecutor()
  const network = vi.fn(() => ({ decision: 'deny', reason: 'No.' }) as const)
  expect(await executor.execute(blocks('ok'), { ask: { network } })).toMatchObject({ status: 'ok' })
  expect(network).not.toHaveBeenCalled()
})

it('executeStream and an agent ask who is asked by default', async () => {
  const { executor } = makeExecutor()
  const asked: string[] = []
  const approveNetwork = ({ host }: { host: string }): NetworkApprovalAnswer => {
    asked.push(host)
    return { decision: 'allow' }
  }
  const careful = askingExecutor(executor, { code: () => 'allow', network: approveNetwork })
  async function* answer() {
    yield '~~~python\none\n~~~\n'
  }
  expect((await executeStream(careful, answer())).output).toBe('one.test allow\n')
  const { output } = await executeAbout(careful, blocks('one'), { ask: { network: undefined } })
  expect(output).toBe('one.test allow\n')
  expect(asked).toEqual(['one.test', 'one.test'])
})
