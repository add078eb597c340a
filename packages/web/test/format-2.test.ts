import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LoggedEvent } from '../src/index.ts'
import { Client, isQuestion, isTurnEnd } from './client.ts'
import { python } from './requirements.ts'
import { type lastText, serveTest } from './served.ts'

interface SavedLog {
  readonly format: number
  readonly tables: readonly string[]
  readonly conversations: readonly Record<string, string | number>[]
  readonly events: readonly {
    conversation: string
    seq: number
    createdAt: string
    type: string
    event: object
  }[]
}

/** A directory as a server of an earlier version left it, which was killed. */
async function directoryOf(name: string): Promise<{ directory: string; log: SavedLog }> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-web-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const log: SavedLog = JSON.parse(await readFile(new URL(`logs/${name}.json`, import.meta.url), 'utf8'))
  const database = new DatabaseSync(join(directory, 'conversations.sqlite'))
  for (const table of log.tables) database.exec(table)
  for (const row of log.conversations) insert(database, 'conversations', row)
  for (const { event, ...row } of log.events) {
    await mkdir(join(directory, 'files', row.conversation), { recursive: true })
    insert(database, 'events', { ...row, event: JSON.stringify(event) })
  }
  database.exec(`PRAGMA user_version = ${log.format}`)
  database.close()
  return { directory, log }
}

function insert(database: DatabaseSync, table: string, row: Record<string, string | number>): void {
  const names = Object.keys(row)
  const marks = names.map(() => '?').join(', ')
  database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row))
}

describe.skipIf(python.missing).each(['format-2-bf5508d', 'format-2-ec6f1a57'])('a log of %s', (name) => {
  it('shows the same, and continues', async () => {
    const { directory, log } = await directoryOf(name)
    const script = (call: number, prompt: Parameters<typeof lastText>[0]) =>
      `Answer ${call}: ${JSON.stringify(prompt)}`
    await using server = await serveTest({ directory, script })
    const client = await Client.of(server)
    const pathOf = (title: string) => {
      const id = log.conversations.find((row) => row.title === title)?.id
      return `/api/conversations/${id}`
    }
    const saved = (path: string) =>
      log.events.filter(({ conversation }) => path.endsWith(conversation)).map(({ event }) => event)

    // A conversation that was done: the model remembers it.
    const done = pathOf('Six times seven?')
    const shown = await first(client, done, saved(done).length)
    expect(shown.map(({ event }) => event)).toEqual(saved(done))
    const { seq = 0 } = shown.at(-1) ?? {}
    await client.post(`${done}/messages`, { text: 'And now?' })
    const text = textOf(await client.until(done, isTurnEnd, seq))
    expect(text).toMatch(
      /Six times seven.*exitcode: 0.*It is 42.*Thank you.*You are welcome.*from a document.*And now/,
    )

    // A program that was running, and one that was asked about: a person decides whether they run.
    for (const title of ['Begin.', 'Ask.']) {
      const path = pathOf(title)
      const before = await client.until(path, isTurnEnd)
      expect(before.slice(0, saved(path).length).map(({ event }) => event)).toEqual(saved(path))
      expect(before.at(-1)?.event).toEqual({ type: 'turn-end', status: 'interrupted' })
      const after = before.at(-1)?.seq ?? 0
      expect((await client.post(`${path}/resume`, {})).status).toBe(202)
      const asked = await client.until(path, isQuestion, after)
      expect(asked.map(({ event }) => event.type)).toEqual(['turn-start', 'code-start', 'approval-requested'])
      await client.answer(path, asked, { decision: 'deny', reason: 'Not again.' })
      expect(textOf(await client.until(path, isTurnEnd, after))).toContain('Not again.')
    }

    // A branch of it remembers what was said before.
    const second = saved(done).find((event) => 'content' in event && event.content === 'Thank you.')
    const message = second !== undefined && 'messageId' in second ? second.messageId : ''
    const made = await client.post(`${done}/branch`, { message, text: 'Or rather?' })
    const { id } = (await made.json()) as { id: string }
    let turns = 0
    const isSecondEnd = (event: LoggedEvent['event']) => isTurnEnd(event) && ++turns === 2
    const branched = textOf(await client.until(`/api/conversations/${id}`, isSecondEnd))
    expect(branched).toMatch(/It is 42.*Or rather/)
    expect(branched).not.toContain('You are welcome.')
  })
})

async function first(client: Client, path: string, count: number): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const event of client.events(path)) {
    events.push(event)
    if (events.length === count) break
  }
  return events
}

function textOf(events: readonly LoggedEvent[]): string {
  return events.map(({ event }) => (event.type === 'text-delta' ? event.text : '')).join('')
}
