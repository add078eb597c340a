import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ScriptedModel } from '@fenced/agents/testing'
import { SmallDisk, smallDisk } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Conversations } from '../src/conversation/conversations.ts'
import { EventLog } from '../src/event-log.ts'
import type { LoggedEvent } from '../src/index.ts'
import { Client, isQuestion, isTurnEnd } from './client.ts'
import { python } from './requirements.ts'
import { local, program, serveTest } from './served.ts'

const fillTheDisk = `
with open("filler", "wb", buffering=0) as filler:
    try:
        while filler.write(b"x" * 4096): pass
    except OSError as error: print(error.strerror)
print("x" * 200_000)
`
const notSaved = (path: string, reason: unknown) => ({
  code: 'CONVERSATION_NOT_SAVED',
  data: { path, reason },
})

describe.skipIf(python.missing || smallDisk.missing)('a program that fills the disk', () => {
  it('ends its own conversation with a message, which continues when there is space again', async () => {
    using disk = new SmallDisk('size=1m')
    const script = [program(fillTheDisk), 'There is space again.', 'Hello.']
    await using server = await serveTest({ directory: disk.path, script })
    const client = await Client.of(server)
    const other = await client.start({ executor: 'local', model: 'scripted', packages: [] })
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Fill it' })
    await client.approve(path)
    const events = await client.until(path, isTurnEnd)
    expect(events.at(-1)?.event).toMatchObject({
      type: 'turn-end',
      status: 'failed',
      ...notSaved(disk.path, 'database or disk is full'),
    })
    expect(await isWorking(client, path)).toBe(false)
    const refused = await client.post(`${other}/messages`, { text: 'Hello' })
    expect([refused.status, await refused.json()]).toEqual([
      507,
      { ...notSaved(disk.path, 'database or disk is full'), message: expect.any(String) },
    ])
    await rm(join(disk.path, 'files', path.split('/').at(-1) ?? '', 'filler'))
    expect((await client.post(`${path}/messages`, { text: 'Now?' })).status).toBe(202)
    const later = await client.until(path, isTurnEnd, events.at(-1)?.seq)
    expect(later.map(({ event }) => event.type)).toEqual(expect.arrayContaining(['message', 'answer-end']))
    expect(later.at(-1)?.event).toMatchObject({ status: 'done' })
  })
})

async function isWorking(client: Client, path: string): Promise<boolean | undefined> {
  const list = (await (await client.fetch('/api/conversations')).json()) as {
    id: string
    isWorking: boolean
  }[]
  return list.find(({ id }) => path.endsWith(id))?.isWorking
}

/** A directory whose log takes no event of one type. */
async function directoryWithout(type: LoggedEvent['event']['type']) {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-web-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  new EventLog(directory).close()
  changeLog(
    directory,
    `CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.type = '${type}' BEGIN SELECT RAISE(FAIL, 'disk is full'); END`,
  )
  return directory
}

function changeLog(directory: string, sql: string): void {
  const database = new DatabaseSync(join(directory, 'conversations.sqlite'))
  database.exec(sql)
  database.close()
}

/** Says something before it is started. */
const talkative = {
  ...local,
  createExecutor: (options: Parameters<typeof local.createExecutor>[0]) => {
    options.onNotice({ code: 'install', message: 'Nothing to install' })
    return local.createExecutor(options)
  },
}

const script = [program('print(6 * 7)'), 'It is 42.']

/** Begins a conversation, and allows its program where one is asked about. */
async function untilTurnEnd(client: Client): Promise<{ path: string; events: LoggedEvent[] }> {
  const path = await client.start({ executor: 'local', model: 'scripted', text: 'Six times seven?' })
  const events = await client.until(path, (event) => isTurnEnd(event) || isQuestion(event))
  if (events.at(-1)?.event.type === 'turn-end') return { path, events }
  await client.answer(path, events, { decision: 'allow' })
  return { path, events: await client.until(path, isTurnEnd) }
}

describe.skipIf(python.missing)('a log that takes no', () => {
  it.each(['notice', 'text-delta', 'approval-requested', 'approval-answered', 'code'] as const)(
    '%s ends the turn with a message, and the server works on',
    async (type) => {
      const directory = await directoryWithout(type)
      await using server = await serveTest({ directory, script, executors: [talkative] })
      const client = await Client.of(server)
      const { path, events } = await untilTurnEnd(client)
      expect(events.at(-1)?.event).toMatchObject({
        status: 'failed',
        ...notSaved(directory, 'disk is full'),
      })
      expect(await isWorking(client, path)).toBe(false)
      expect((await client.fetch('/api/state')).status).toBe(200)
    },
  )

  it.each(['answer-end', 'code-end', 'turn-end'] as const)(
    '%s shows it all the same, and a later server writes the end of the turn',
    async (type) => {
      const directory = await directoryWithout(type)
      const first = await serveTest({ directory, script })
      const client = await Client.of(first)
      const { path, events } = await untilTurnEnd(client)
      expect(events.map(({ event }) => event.type)).toContain(type)
      expect(await isWorking(client, path)).toBe(false)
      await first.close()
      changeLog(directory, 'DROP TRIGGER full')
      await using second = await serveTest({ directory, script })
      const later = await Client.of(second)
      expect(await isWorking(later, path)).toBe(false)
      expect((await later.until(path, isTurnEnd)).at(-1)?.event).toMatchObject({ type: 'turn-end' })
    },
  )

  it('event at all, because it was closed, ends the turn', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const log = new EventLog(directory)
    const model = new ScriptedModel(() => {
      log.close()
      return 'Hello.'
    })
    const models = [{ id: 'scripted', name: 'Scripted', model }]
    const conversations = new Conversations(log, { directory, models, executors: [local] })
    const id = conversations.create({ executor: 'local', model: 'scripted', packages: [], title: '' })
    const conversation = conversations.get(id)
    conversation.send('Hello')
    await expect.poll(() => conversation.isWorking).toBe(false)
    await conversations.close()
  })

  it.each(['message', 'turn-start'] as const)('%s begins no turn, and says why', async (type) => {
    const directory = await directoryWithout(type)
    await using server = await serveTest({ directory, script })
    const client = await Client.of(server)
    const path = await client.start({ executor: 'local', model: 'scripted', packages: [] })
    const response = await client.post(`${path}/messages`, { text: 'Hello' })
    expect([response.status, await response.json()]).toEqual([
      507,
      { ...notSaved(directory, 'disk is full'), message: expect.any(String) },
    ])
    expect(await isWorking(client, path)).toBe(false)
  })
})
