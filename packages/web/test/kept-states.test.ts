// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EventLog } from '../src/event-log.ts'
import { Client, isTurnEnd } from './client.ts'
import { serveTest } from './served.ts'

/** A log with messages, each with a state of this length. Returns which states can be read at their messages. */
async function kept(count: number, length: number): Promise<boolean[]> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-web-states-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const log = new EventLog(directory)
  onTestFinished(() => log.close())
  log.create({ id: 'a', title: 'A', executor: 'e', model: 'm', packages: [] })
  const padding = 'x'.repeat(length)
  for (let index = 0; index < count; index++)
    log.appendStep('a', [{ type: 'message', messageId: `${index}`, content: '' }], {
      state: { type: 'test', version: index, padding },
      isDone: true,
    })
  return Array.from({ length: count }, (_, index) => log.state('a', index + 1)?.state?.version === index)
}

it('a log keeps the newest states of agents, up to 20, and up to 16 MiB and one more', async () => {
  const small = await kept(25, 1)
  expect(small.indexOf(true)).toBe(4)
  expect(small.slice(4)).not.toContain(false)
  expect(await kept(5, 6 * 2 ** 20)).toEqual([false, false, true, true, true])
  expect(await kept(2, 20 * 2 ** 20)).toEqual([false, true])
})

it('a branch at a message whose state is not kept begins with the events', async () => {
  await using server = await serveTest({ script: (call) => `Answer ${call}.` })
  const client = await Client.of(server)
  const path = await client.start({ executor: 'local', model: 'scripted', text: 'Message 0.' })
  let seq = 0
  const messages: string[] = []
  for (let index = 1; index <= 23; index++) {
    const events = await client.until(path, isTurnEnd, seq)
    seq = events.at(-1)?.seq ?? 0
    messages.push(...events.flatMap(({ event }) => (event.type === 'message' ? [event.messageId] : [])))
    await client.post(`${path}/messages`, { text: `Message ${index}.` })
  }
  await client.until(path, isTurnEnd, seq)
  const branch = await client.post(`${path}/branch`, { message: messages[2], text: 'Or rather?' })
  const { id } = (await branch.json()) as { id: string }
  await client.until(`/api/conversations/${id}`, ({ type }) => type === 'answer-end', 6)
  const prompt = JSON.stringify(server.model.prompts.at(-1))
  expect(prompt).toMatch(/Message 0.*Answer 0.*Message 1.*Answer 1.*Or rather/)
  expect(prompt).not.toContain('Message 2')
})
