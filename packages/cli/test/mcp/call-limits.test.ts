import { type BlockIo, defineExecutor } from '@fenced/core/driver'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCodeServer } from '../../src/mcp/code-server.ts'
import { Sessions } from '../../src/mcp/sessions.ts'

interface TestParts {
  /** The program: 0 is its exit code. */
  readonly run?: (io: BlockIo) => void | Promise<void>
  readonly start?: () => Promise<void>
  readonly callTimeoutMs?: number
}

/** A client and a server with timers that the test moves. */
async function connected({
  run = async () => {},
  start = async () => {},
  callTimeoutMs,
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
  const sessions = new Sessions(() => create({ timeoutMs: 3_600_000 }), {
    ...{ where: () => 'here', max: 1, idleTimeoutMs: Number.POSITIVE_INFINITY, callTimeoutMs },
  })
  onTestFinished(() => sessions.stop())
  const about = { whyThere: '', version: '1.0.0', handles: undefined, approvals: undefined }
  const server = createCodeServer({ sessions, ...about })
  const client = new Client({ name: 'test', version: '1.0.0' })
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

it('a quiet program sends progress every 5 s, which keeps the client waiting and ends with the call', async () => {
  const end = Promise.withResolvers<void>()
  const client = await connected({ run: () => end.promise, callTimeoutMs: 3_600_000 })
  const progress: number[] = []
  const onprogress = ({ progress: count }: { progress: number }) => void progress.push(count)
  const running = client.callTool(command, { onprogress, resetTimeoutOnProgress: true })
  await vi.advanceTimersByTimeAsync(300 * secondMs)
  end.resolve()
  expect((await running).structuredContent).toMatchObject({ status: 'ok' })
  await vi.advanceTimersByTimeAsync(60 * secondMs)
  expect(progress).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
})

it('a call is answered before the client gives up, with the output so far and the limit that ended it', async () => {
  const begun = Promise.withResolvers<void>()
  const client = await connected({
    async run({ write, signal }) {
      await write('stdout', Buffer.from('begun\n'))
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  const running = client.callTool(command)
  await begun.promise
  await vi.advanceTimersByTimeAsync(45 * secondMs)
  const result = await running
  const data = { limitMs: '45000', option: '--timeout' }
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { status: 'timeout', exitCode: 124, notices: [{ code: 'timeout', data }] },
  })
  expect(textOf(result)).toMatch(/^begun\n.*45 s.*\n\nExit code: 124 \(timeout\)$/s)
  expect(JSON.stringify(result)).not.toMatch(/cancel/i)
})

it('a call whose sandbox does not start in time is answered, and the next call uses that sandbox', async () => {
  const ready = Promise.withResolvers<void>()
  const start = vi.fn(() => ready.promise)
  const client = await connected({ start })
  const running = client.callTool(command)
  await vi.waitFor(() => expect(start).toHaveBeenCalled())
  await vi.advanceTimersByTimeAsync(45 * secondMs)
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
