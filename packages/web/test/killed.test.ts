// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConversationView } from '../page/src/view.ts'
import type { LoggedEvent } from '../src/index.ts'
import { Client, isTurnEnd } from './client.ts'
import { pageModel, team } from './hosted.ts'
import { python } from './requirements.ts'
import { serveTest, type TestServer } from './served.ts'

type Event = LoggedEvent['event']

const ofPrograms = [
  ...['message', 'turn-start', 'answer-start', 'text-delta', 'answer-end', 'code-start'],
  ...['approval-requested', 'approval-answered', 'code:block-start', 'code:stdout', 'code:block-end'],
  ...['code-end', 'turn-end'],
]
const cases = [
  ...ofPrograms.map((type) => `model after ${type}`),
  ...[...ofPrograms, 'tool-start', 'tool-end'].map((type) => `team after ${type}`),
]
const all = [
  'model after message',
  'model after approval-answered',
  'model after code:stdout',
  'team after code-end',
]
const rows = rowTags({ nightly: cases.filter((name) => !all.includes(name)) })

describe.skipIf(python.missing)('a server that is killed', () => {
  it.each(cases)('with a %s continues where it was', rows, async (name) => {
    const [model = '', type = ''] = name.split(' after ')
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-killed-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
    await untilKilled(await serveKilled(directory, type), model)
    const models = [{ id: 'model', name: 'Model', model: pageModel() }]
    await using server = await serveTest({ directory, models, agents: { team } })
    const { id, events } = await toTheEnd(server)
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'done' })

    // No program runs twice, and nothing is asked again that was answered, unless nobody knows how far the program came.
    const ran = await readFile(join(directory, 'files', id, 'ran'), 'utf8').catch(() => '')
    const asked = events.filter((event) => event.type === 'approval-requested').map(({ request }) => request)
    const answers = events.flatMap((event) => (event.type === 'approval-answered' ? [event.requestId] : []))
    const answered = answers
      .map((answer) => asked.find(({ id }) => id === answer)?.question ?? '')
      .filter((question) => !mayHaveHappened(question))
    expect(answered.length).toBeGreaterThan(0)
    expect(new Set(answered).size).toBe(answered.length)
    expect(ran.length).toBeLessThanOrEqual(1)
    expect(ran === 'x' || asked.some(({ question }) => mayHaveHappened(question))).toBe(true)

    // Nothing is shown twice.
    const view = new ConversationView()
    for (const [index, event] of events.entries()) view.take({ seq: index + 1, createdAt: '', event })
    const shown = view.items.map((item) =>
      item.type === 'answer'
        ? item.text
        : item.type === 'tool'
          ? `${item.tool} ${item.result?.content}`
          : item.type,
    )
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown).toContain(model === 'model' ? 'I have read it.' : 'That is all.\n\nTERMINATE')
    const runs = view.items.flatMap((item) => ('run' in item && item.run !== undefined ? [item.run] : []))
    expect(runs).toHaveLength(1)
  })
})

function mayHaveHappened(question: string): boolean {
  return question.includes('already')
}

async function serveKilled(directory: string, type: string): Promise<Pick<TestServer, 'origin' | 'token'>> {
  const file = fileURLToPath(new URL('programs/serve-killed.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@fenced/source', file, directory, type], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [line] = await once(child.stdout, 'data')
  return JSON.parse(`${line}`)
}

/** Begins a conversation, and answers every question. */
async function untilKilled(server: Pick<TestServer, 'origin' | 'token'>, model: string): Promise<void> {
  try {
    const client = await Client.of(server)
    const path = await client.start({ executor: 'local', model, text: 'Go.' })
    for await (const { event } of client.events(path)) await answer(client, path, event)
  } catch {
    // It was killed.
  }
}

/** Continues, and answers every question. */
async function toTheEnd(server: TestServer): Promise<{ id: string; events: Event[] }> {
  const client = await Client.of(server)
  const [found] = (await (await client.fetch('/api/conversations')).json()) as { id: string }[]
  const { id = '' } = found ?? {}
  const path = `/api/conversations/${id}`
  // The page has a button for that, unless the work was done.
  const shown = new ConversationView()
  for (const event of await client.until(path, isTurnEnd)) shown.take(event)
  const { status } = await client.post(`${path}/resume`, {})
  expect(status).toBe(shown.canResume ? 202 : 409)
  const events: Event[] = []
  for await (const { event } of client.events(path)) {
    events.push(event)
    if (event.type === 'turn-end' && event.status !== 'interrupted') break
    await answer(client, path, event)
  }
  return { id, events }
}

/** A question of a server that was killed is not open any more. */
async function answer(client: Client, path: string, event: Event): Promise<void> {
  if (event.type !== 'approval-requested') return
  const { digest, request } = event
  const given =
    request.kind === 'message'
      ? { decision: 'answer', text: 'Well done.' }
      : mayHaveHappened(request.question)
        ? { decision: 'deny', reason: 'It ran.' }
        : { decision: 'allow' }
  await client.post(`${path}/approvals/${request.id}`, { digest, answer: given })
}
