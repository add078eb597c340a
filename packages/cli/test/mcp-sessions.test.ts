import { text } from 'node:stream/consumers'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { executorFactory, executorText } from '../src/executor.ts'
import { SandboxHandles } from '../src/mcp/sandbox-handles.ts'
import { answer, SessionTools } from '../src/mcp/session-tools.ts'
import { Sessions } from '../src/mcp/sessions.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Sessions of programs on this machine, and timers that this test moves. */
async function sessionTools(idleTimeoutMs: number, max = 2): Promise<SessionTools> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const create = await executorFactory({ executor: 'local' })
  const sessions = new Sessions(create, { where: executorText, max, idleTimeoutMs })
  onTestFinished(() => sessions.stop())
  return new SessionTools(sessions, new SandboxHandles({ max: 3, idleTimeoutMs }))
}

const textOf = ({ content }: CallToolResult) =>
  content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n')

const handles = new WeakMap<SessionTools, Map<string, string | undefined>>()

/** The input that names a sandbox, which is opened at its first use. */
function inputFor(tools: SessionTools, name: string) {
  const known = handles.get(tools) ?? new Map()
  handles.set(tools, known)
  if (!known.has(name)) known.set(name, tools.handles?.open())
  return { sandbox: known.get(name) }
}

/** Writes a file in a session. */
function write(tools: SessionTools, session: string, whileInUse = () => {}): Promise<CallToolResult> {
  return tools.use(inputFor(tools, session), async ({ sandbox }) => {
    await sandbox?.files.write('work.txt', 'important')
    whileInUse()
    return answer('written')
  })
}

/** Reads that file. */
function read(tools: SessionTools, session: string): Promise<CallToolResult> {
  return tools.use(inputFor(tools, session), async ({ sandbox }) => {
    const chunks = await sandbox?.files.read('work.txt')
    return answer(chunks === undefined ? 'There is no file.' : await text(chunks))
  })
}

test('the session of a client over standard input and output keeps its files for as long as the client stays', async () => {
  const tools = await sessionTools(Number.POSITIVE_INFINITY)
  await write(tools, 'a')
  vi.advanceTimersByTime(60 * dayMs)
  expect(textOf(await read(tools, 'a'))).toBe('important')
})

test('a session over HTTP keeps its files while it is used, also by a call that takes days', async () => {
  const tools = await sessionTools(30 * minuteMs)
  await write(tools, 'a', () => vi.advanceTimersByTime(3 * dayMs))
  for (let count = 0; count < 100; count++) {
    vi.advanceTimersByTime(29 * minuteMs)
    expect(textOf(await read(tools, 'a'))).toBe('important')
  }
})

test('a session that lost its files after an idle time says so once', async () => {
  const tools = await sessionTools(30 * minuteMs)
  expect(textOf(await write(tools, 'a'))).toBe('written')
  vi.advanceTimersByTime(31 * minuteMs)
  expect(textOf(await read(tools, 'b'))).toBe('There is no file.')
  expect(textOf(await read(tools, 'a'))).toBe(
    'There is no file.\nThis session was idle for too long, so its sandbox was stopped. Files, variables and running programs were lost.',
  )
  expect(textOf(await read(tools, 'a'))).toBe('There is no file.')
})

test('sessions beyond --max-sessions take turns, and keep their files', async () => {
  const tools = await sessionTools(30 * minuteMs, 1)
  for (const session of ['a', 'b', 'c']) await write(tools, session)
  expect(textOf(await read(tools, 'a'))).toBe(
    'important\nAnother caller needed the sandbox of this session, so it was stopped. The files in its working directory were kept. Variables and running programs were lost.',
  )
  expect(textOf(await read(tools, 'a'))).toBe('important')
})

test('a call that gets no sandbox has an answer that a model can follow', async () => {
  const tools = await sessionTools(30 * minuteMs, 1)
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
  const tools = await sessionTools(30 * minuteMs)
  for (const session of ['a', 'b']) await write(tools, session)
  const id = tools.sessionOf(inputFor(tools, 'a')) ?? ''
  tools.handles?.close(id)
  await tools.sessions.close(id)
  expect(tools.sessions.has(id)).toBe(false)
  expect(await read(tools, 'a')).toMatchObject({ isError: true })
  expect(textOf(await read(tools, 'b'))).toBe('important')
})
