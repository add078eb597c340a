import { text } from 'node:stream/consumers'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { executorFactory, executorText } from '../src/executor.ts'
import { ClientSandboxes } from '../src/mcp/client-sandboxes.ts'
import { SandboxHandles } from '../src/mcp/sandbox-handles.ts'
import { answer, ToolSandboxes } from '../src/mcp/tool-sandboxes.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** ClientSandboxes of programs on this machine, and timers that this test moves. */
async function toolSandboxes(idleTimeoutMs: number, max = 2): Promise<ToolSandboxes> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const create = await executorFactory({ executor: 'local' })
  const sandboxes = new ClientSandboxes(create, { where: executorText, max, idleTimeoutMs })
  onTestFinished(() => sandboxes.stop())
  return new ToolSandboxes(sandboxes, new SandboxHandles({ max: 3, idleTimeoutMs }))
}

const textOf = ({ content }: CallToolResult) =>
  content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n')

const handles = new WeakMap<ToolSandboxes, Map<string, string | undefined>>()

/** The input that names a sandbox, which is opened at its first use. */
function inputFor(tools: ToolSandboxes, name: string) {
  const known = handles.get(tools) ?? new Map()
  handles.set(tools, known)
  if (!known.has(name)) known.set(name, tools.handles?.open())
  return { sandbox: known.get(name) }
}

/** Writes a file in a sandbox. */
function write(tools: ToolSandboxes, key: string, whileInUse = () => {}): Promise<CallToolResult> {
  return tools.use(inputFor(tools, key), async ({ sandbox }) => {
    await sandbox?.files.write('work.txt', 'important')
    whileInUse()
    return answer('written')
  })
}

/** Reads that file. */
function read(tools: ToolSandboxes, key: string): Promise<CallToolResult> {
  return tools.use(inputFor(tools, key), async ({ sandbox }) => {
    const chunks = await sandbox?.files.read('work.txt')
    return answer(chunks === undefined ? 'There is no file.' : await text(chunks))
  })
}

test('the sandbox of a client over standard input and output keeps its files for as long as the client stays', async () => {
  const tools = await toolSandboxes(Number.POSITIVE_INFINITY)
  await write(tools, 'a')
  vi.advanceTimersByTime(60 * dayMs)
  expect(textOf(await read(tools, 'a'))).toBe('important')
})

test('a sandbox over HTTP keeps its files while it is used, also by a call that takes days', async () => {
  const tools = await toolSandboxes(30 * minuteMs)
  await write(tools, 'a', () => vi.advanceTimersByTime(3 * dayMs))
  for (let count = 0; count < 100; count++) {
    vi.advanceTimersByTime(29 * minuteMs)
    expect(textOf(await read(tools, 'a'))).toBe('important')
  }
})

test('a sandbox that lost its files after an idle time says so once', async () => {
  const tools = await toolSandboxes(30 * minuteMs)
  expect(textOf(await write(tools, 'a'))).toBe('written')
  vi.advanceTimersByTime(31 * minuteMs)
  expect(textOf(await read(tools, 'b'))).toBe('There is no file.')
  expect(textOf(await read(tools, 'a'))).toBe(
    'There is no file.\nThe previous sandbox was idle for too long, so it was stopped. Files, variables and running programs were lost.',
  )
  expect(textOf(await read(tools, 'a'))).toBe('There is no file.')
})

test('sandboxes beyond --max-sandboxes take turns, and keep their files', async () => {
  const tools = await toolSandboxes(30 * minuteMs, 1)
  for (const key of ['a', 'b', 'c']) await write(tools, key)
  expect(textOf(await read(tools, 'a'))).toBe(
    'important\nAnother caller needed the place of the previous sandbox, so the sandbox was stopped. The files in its working directory were kept. Variables and running programs were lost.',
  )
  expect(textOf(await read(tools, 'a'))).toBe('important')
})

test('a call that gets no sandbox has an answer that a model can follow', async () => {
  const tools = await toolSandboxes(30 * minuteMs, 1)
  const [busy, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = tools.use(inputFor(tools, 'a'), async () => {
    begun.resolve()
    await busy.promise
    return answer('done')
  })
  await begun.promise
  const second = read(tools, 'b')
  vi.advanceTimersByTime(minuteMs)
  expect(await second).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: expect.stringContaining('(POOL_FULL)') }],
  })
  busy.resolve()
  expect(textOf(await first)).toBe('done')
})

test('a sandbox that is closed loses its files and its handle, and no other does', async () => {
  const tools = await toolSandboxes(30 * minuteMs)
  for (const key of ['a', 'b']) await write(tools, key)
  const id = tools.keyOf(inputFor(tools, 'a')) ?? ''
  tools.handles?.close(id)
  await tools.sandboxes.close(id)
  expect(tools.sandboxes.has(id)).toBe(false)
  expect(await read(tools, 'a')).toMatchObject({ isError: true })
  expect(textOf(await read(tools, 'b'))).toBe('important')
})
