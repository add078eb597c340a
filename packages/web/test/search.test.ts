import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EventLog } from '../src/event-log.ts'

async function logOf(texts: Readonly<Record<string, readonly string[]>>): Promise<EventLog> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-web-search-'))
  const log = new EventLog(directory)
  onTestFinished(async () => {
    log.close()
    await rm(directory, { recursive: true, force: true })
  })
  for (const [id, [title = '', message = '', ...pieces]] of Object.entries(texts)) {
    log.create({ id, title, executor: 'local', model: '', packages: [] })
    log.append(id, { type: 'message', messageId: 'm', content: message })
    for (const text of pieces) log.append(id, { type: 'text-delta', answerId: 'a', text })
  }
  return log
}

it('finds titles, messages and answers that were logged in pieces, and says where', async () => {
  const log = await logOf({
    title: ['The Needle', 'nothing'],
    message: ['One', `${'before '.repeat(20)}a "NEEDLE" in\nhay${' after'.repeat(50)}`],
    answer: ['Two', 'nothing', 'a nee', 'dle again'],
    other: ['Three', 'need less'],
  })
  const found = log.search('needle')
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(['title', 'message', 'answer']))
  const excerpt = (id: string) => found.find((each) => each.id === id)?.excerpt
  expect(excerpt('title')).toBe('')
  expect(excerpt('answer')).toBe('a needle again')
  expect(excerpt('message')).toMatch(/before before .*a "NEEDLE" in hay after/)
  expect(excerpt('message')?.length).toBeLessThanOrEqual(120)
})

it('takes wildcards and quotes of SQL as text', async () => {
  const log = await logOf({ percent: ['100 %', ''], plain: ['100', ''], quote: [`it's`, ''] })
  expect(log.search('%').map(({ id }) => id)).toEqual(['percent'])
  expect(log.search(`'`).map(({ id }) => id)).toEqual(['quote'])
  expect(log.search('_')).toEqual([])
})
