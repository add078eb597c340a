import { DecisionLedger } from '@fenced/core'
import { type BlockIo, defineExecutor } from '@fenced/core/driver'
import { MemoryLedgerStore } from '@fenced/core/internal'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Approvals } from '../../src/mcp/approval.ts'
import { ClientSandboxes } from '../../src/mcp/client-sandboxes.ts'
import { createCodeServer } from '../../src/mcp/code-server.ts'
import { Runs } from '../../src/mcp/runs.ts'

interface TestParts {
  /** The program: 0 is its exit code. */
  readonly run?: (io: BlockIo) => void | Promise<void>
  readonly start?: () => Promise<void>
  readonly programTimeoutMs?: number
  /** With one a person is asked, who allows everything. */
  readonly ledger?: DecisionLedger
}

/** A client and a server with timers that the test moves. */
async function connected({
  run = async () => {},
  start = async () => {},
  programTimeoutMs,
  ledger,
}: TestParts): Promise<Client> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const create = defineExecutor({
    name: 'test',
    languages: ['sh'],
    driver: () => ({
      start,
      run: async (_, io) => {
        await run(io)
        return { exitCode: 0 }
      },
    }),
  })
  const sandboxes = new ClientSandboxes(() => create({ timeoutMs: 3_600_000 }), {
    ...{ where: () => 'here', max: 1, idleTimeoutMs: Number.POSITIVE_INFINITY, programTimeoutMs },
  })
  onTestFinished(() => sandboxes.stop())
  const runs = new Runs(sandboxes)
  const approvals = ledger === undefined ? undefined : new Approvals({ ledger })
  const about = { whyThere: '', version: '1.0.0', handles: undefined, approvals, runs }
  const server = createCodeServer({ sandboxes, ...about })
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { allow: true } }))
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(here), client.connect(there)])
  onTestFinished(() => client.close())
  return client
}

const command = { name: 'run_command', arguments: { command: 'true' } }
const secondMs = 1_000

function textOf({ content }: CallToolResult): string {
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}

it('a quiet program sends progress every 5 s, which ends with the call', async () => {
  const end = Promise.withResolvers<void>()
  const client = await connected({ run: () => end.promise })
  const progress: number[] = []
  const onprogress = ({ progress: count }: { progress: number }) => void progress.push(count)
  const running = client.callTool(command, { onprogress })
  await vi.advanceTimersByTimeAsync(29 * secondMs)
  end.resolve()
  expect((await running).structuredContent).toMatchObject({ status: 'ok' })
  await vi.advanceTimersByTimeAsync(60 * secondMs)
  expect(progress).toEqual([1, 2, 3, 4, 5])
})

/** A program that has printed a line, and then waits for its end or for its signal. */
function waiting() {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const run = async ({ write, signal }: BlockIo) => {
    await write('stdout', Buffer.from('begun\n'))
    begun.resolve()
    signal.addEventListener('abort', () => end.resolve())
    await end.promise
  }
  return { begun: begun.promise, end: () => end.resolve(), run: vi.fn(run) }
}

const runOf = ({ structuredContent }: CallToolResult) => (structuredContent as { run?: string }).run ?? ''

describe('a program that runs for longer than a call', () => {
  it('has a run, whose end get_run returns until ten minutes later', async () => {
    const { begun, end, run } = waiting()
    const client = await connected({ run })
    const calling = client.callTool(command)
    await begun
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    const answered = await calling
    expect(answered).toMatchObject({ structuredContent: { status: 'running', output: 'begun\n' } })
    expect(answered.isError).not.toBe(true)
    const get = () => client.callTool({ name: 'get_run', arguments: { run: runOf(answered) } })
    const asking = get()
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    expect((await asking).structuredContent).toMatchObject({ status: 'running', run: runOf(answered) })
    end()
    const ended = { status: 'ok', exitCode: 0, output: 'begun\n' }
    expect((await get()).structuredContent).toMatchObject(ended)
    await vi.advanceTimersByTimeAsync(599 * secondMs)
    expect((await get()).structuredContent).toMatchObject(ended)
    await vi.advanceTimersByTimeAsync(2 * secondMs)
    expect(await get()).toMatchObject({ isError: true })
    expect(run).toHaveBeenCalledOnce()
  })

  it('ends by cancel_run', async () => {
    const { begun, run } = waiting()
    const client = await connected({ run })
    const calling = client.callTool(command)
    await begun
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    const input = { run: runOf(await calling) }
    const cancelled = await client.callTool({ name: 'cancel_run', arguments: input })
    expect(cancelled.structuredContent).toMatchObject({
      status: 'cancelled',
      output: expect.stringMatching(/^begun\n/),
    })
    expect(await client.callTool({ name: 'cancel_run', arguments: { run: 'run-guessed' } })).toMatchObject({
      isError: true,
    })
  })

  it('ends at the time limit of programs, with its output so far', async () => {
    const { begun, run } = waiting()
    const client = await connected({ run, programTimeoutMs: 60 * secondMs })
    const calling = client.callTool(command)
    await begun
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    const asking = client.callTool({ name: 'get_run', arguments: { run: runOf(await calling) } })
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    const result = await asking
    const data = { limitMs: '60000', option: '--timeout' }
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { status: 'timeout', exitCode: 124, notices: [{ code: 'timeout', data }] },
    })
    expect(textOf(result)).toMatch(/^begun\n.*60 s.*\n\nExit code: 124 \(timeout\)$/s)
    expect(JSON.stringify(result)).not.toMatch(/cancel/i)
  })

  it('is in the ledger as started until it ends', async () => {
    const { begun, end, run } = waiting()
    const ledger = new DecisionLedger({ store: new MemoryLedgerStore() })
    const client = await connected({ run, ledger })
    const states = async () => (await ledger.list()).map(({ state }) => state)
    const calling = client.callTool(command)
    await begun
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    const input = { run: runOf(await calling) }
    expect(await states()).toEqual(['started'])
    end()
    await client.callTool({ name: 'get_run', arguments: input })
    expect(await states()).toEqual(['finished'])
  })

  it('is busy: another call in its sandbox waits', async () => {
    const { begun, end, run } = waiting()
    const client = await connected({ run })
    const calling = client.callTool(command)
    await begun
    await vi.advanceTimersByTimeAsync(30 * secondMs)
    await calling
    const second = client.callTool(command)
    await vi.advanceTimersByTimeAsync(10 * secondMs)
    expect(run).toHaveBeenCalledOnce()
    end()
    expect((await second).structuredContent).toMatchObject({ status: 'ok' })
  })
})

it('a call whose sandbox does not start in time is answered, and the next call uses that sandbox', async () => {
  const ready = Promise.withResolvers<void>()
  const start = vi.fn(() => ready.promise)
  const client = await connected({ start })
  const running = client.callTool(command)
  await vi.waitFor(() => expect(start).toHaveBeenCalled(), { timeout: 120_000 })
  await vi.advanceTimersByTimeAsync(30 * secondMs)
  expect(textOf(await running)).toContain('(PREPARE_TIMEOUT)')
  ready.resolve()
  expect((await client.callTool(command)).isError).toBe(false)
  expect(start).toHaveBeenCalledOnce()
})

it('the data of a long output is bounded like its text', async () => {
  const client = await connected({
    run: ({ write }) => write('stdout', Buffer.from(`${'🙂 a'.repeat(150_000)}\n`)),
  })
  const result = await client.callTool(command)
  const { output, omittedCharacters } = result.structuredContent as {
    output: string
    omittedCharacters: number
  }
  expect(output.trimEnd()).toBe(textOf(result))
  expect(output.length).toBeLessThan(16_100)
  const [head = '', tail = ''] = output.split(/\n\[.*\]\n/)
  expect(omittedCharacters).toBe(600_001 - head.length - tail.length)
})
