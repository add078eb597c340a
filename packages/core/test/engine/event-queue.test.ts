import { describe, expect, test } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import { EventQueue } from '../../src/engine/output/event-queue.ts'
import type { ExecutionEvent } from '../../src/execution.ts'
import type { StreamName } from '../../src/sandbox/sandbox-process.ts'

const capacity = 1024 * 1024

const notice = (code: string): ExecutionEvent => ({
  type: 'notice',
  index: 0,
  notice: { code, message: code },
})
const write = (queue: EventQueue, text: string, stream: StreamName = 'stdout', index = 0) =>
  queue.pushOutput(stream, index, Buffer.from(text))

async function readAll(queue: EventQueue): Promise<ExecutionEvent[]> {
  queue.end()
  queue.claimReader()
  return collect(queue.read())
}

function textOf(events: readonly ExecutionEvent[]): string {
  return events
    .map((event) => (event.type === 'stdout' || event.type === 'stderr' ? event.text : ''))
    .join('')
}

const dropNotices = (events: readonly ExecutionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'notice' && event.notice.code === 'live-output-dropped' ? [event] : [],
  )

function writeUntilHeld(queue: EventQueue): Promise<void> {
  for (;;) {
    const held = write(queue, 'x'.repeat(65_536))
    if (held !== undefined) return held
  }
}

const settled = async (promise: void | Promise<void>) => {
  const marker = Symbol()
  return (await Promise.race([promise, new Promise((done) => setImmediate(done, marker))])) !== marker
}

describe('order', () => {
  test('events come as they went in, and what follows one another on one stream is one event', async () => {
    const queue = new EventQueue()
    void write(queue, 'a')
    void write(queue, 'b')
    void write(queue, 'c', 'stderr')
    void write(queue, 'd')
    queue.push(notice('n'))
    void write(queue, 'e')
    void write(queue, 'f', 'stdout', 1)
    expect(await readAll(queue)).toEqual([
      { type: 'stdout', index: 0, text: 'ab' },
      { type: 'stderr', index: 0, text: 'c' },
      { type: 'stdout', index: 0, text: 'd' },
      notice('n'),
      { type: 'stdout', index: 0, text: 'e' },
      { type: 'stdout', index: 1, text: 'f' },
    ])
  })

  test('an event that was read is not changed by what is written later', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const reader = queue.read()
    void write(queue, 'a')
    const first = await reader.next()
    void write(queue, 'b')
    expect([first.value, (await reader.next()).value]).toEqual([
      { type: 'stdout', index: 0, text: 'a' },
      { type: 'stdout', index: 0, text: 'b' },
    ])
  })

  test('a reader that waits is woken by text, by an event, by the end and by an error', async () => {
    for (const [wake, expected] of [
      [(queue: EventQueue) => void write(queue, 'a'), { done: false }],
      [(queue: EventQueue) => queue.push(notice('n')), { done: false }],
      [(queue: EventQueue) => queue.end(), { done: true }],
    ] as const) {
      const queue = new EventQueue()
      const next = queue.read().next()
      await new Promise(setImmediate)
      wake(queue)
      expect(await next).toMatchObject(expected)
    }
    const queue = new EventQueue()
    const next = queue.read().next()
    queue.fail(new Error('broken'))
    await expect(next).rejects.toThrow('broken')
  })

  test('an error comes behind the events that were before it', async () => {
    const queue = new EventQueue()
    queue.push(notice('n'))
    queue.fail(new Error('broken'))
    const reader = queue.read()
    expect((await reader.next()).value).toEqual(notice('n'))
    await expect(reader.next()).rejects.toThrow('broken')
  })
})

describe('without a reader', () => {
  test('the writer is never held back', () => {
    const queue = new EventQueue()
    for (let count = 0; count < 40; count++) expect(write(queue, 'x'.repeat(65_536))).toBeUndefined()
  })

  test('a late reader gets the beginning, one notice that counts the rest, and everything that is not output', async () => {
    const queue = new EventQueue()
    const chunk = 'x'.repeat(65_535)
    for (let count = 0; count < 100; count++) void write(queue, `${chunk}€`)
    queue.push(notice('later'))
    const events = await readAll(queue)
    const [dropped, ...more] = dropNotices(events)
    const text = textOf(events)
    expect(text.length).toBeGreaterThanOrEqual(capacity)
    expect(text.length).toBeLessThanOrEqual(capacity + 2 * 65_536)
    expect(more).toEqual([])
    expect(dropped?.notice.data).toEqual({ bytes: `${100 * 65_538 - Buffer.byteLength(text)}` })
    expect(events.at(-1)).toEqual(notice('later'))
  })

  test('notices and rich results that wait are counted, with their MIME types', async () => {
    const queue = new EventQueue()
    const long = 'x'.repeat(65_536)
    for (let count = 0; count < 400; count++) {
      queue.push({ type: 'notice', notice: { code: 'n', message: long } })
      queue.push({ type: 'result', index: 0, result: { [`${count}${long}`]: '' } })
    }
    const events = await readAll(queue)
    const lengths = { notice: 0, result: 0 }
    for (const event of events) {
      if (event.type === 'notice' || event.type === 'result') lengths[event.type] += long.length
    }
    expect(lengths.notice).toBeLessThanOrEqual(capacity + long.length)
    expect(lengths.result).toBeLessThanOrEqual(16 * capacity + long.length)
    expect(dropNotices(events)).toHaveLength(1)
  })

  test('a million tiny events stay within bounds', async () => {
    const queue = new EventQueue()
    const before = process.memoryUsage().heapUsed
    for (let count = 0; count < 500_000; count++) {
      void write(queue, 'a')
      void write(queue, 'b', 'stderr')
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
    const events = await readAll(queue)
    expect(events.length).toBeLessThan(20_000)
    const [dropped] = dropNotices(events)
    expect(dropped?.notice.data).toEqual({ bytes: `${1_000_000 - textOf(events).length}` })
  })
})

describe('with a reader', () => {
  test('the writer is held back when the reader is behind, and goes on when it has caught up', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const reader = queue.read()
    const held = writeUntilHeld(queue)
    expect(await settled(held)).toBe(false)
    await reader.next()
    expect(await settled(held)).toBe(false)
    await reader.next()
    expect(await settled(held)).toBe(true)
    expect(write(queue, 'more')).toBeUndefined()
  })

  test('the writer is never far ahead, so that little waits', () => {
    const queue = new EventQueue()
    queue.claimReader()
    let written = 0
    while (write(queue, 'x'.repeat(16_384)) === undefined) written += 16_384
    expect(written).toBeLessThanOrEqual(capacity / 8)
  })

  test('nothing is lost by a writer that waits', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const total = 10 * capacity
    const writing = (async () => {
      for (let written = 0; written < total; written += 16_384) await write(queue, 'x'.repeat(16_384))
      queue.end()
    })()
    const events = await collect(queue.read())
    await writing
    expect(textOf(events).length).toBe(total)
    expect(dropNotices(events)).toEqual([])
  })

  test('a writer that does not wait loses the rest, which is counted, and each gap has a notice of its own', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const reader = queue.read()
    const flood = () => {
      for (let count = 0; count < 64; count++) void write(queue, 'x'.repeat(65_536))
    }
    flood()
    const events: ExecutionEvent[] = []
    while (dropNotices(events).length === 0) {
      const { value } = await reader.next()
      if (value) events.push(value)
    }
    flood()
    queue.end()
    for await (const event of { [Symbol.asyncIterator]: () => reader }) events.push(event)
    const dropped = dropNotices(events).map(({ notice: { data } }) => Number(data?.bytes))
    expect(dropped).toHaveLength(2)
    expect(textOf(events).length + dropped.reduce((sum, count) => sum + count, 0)).toBe(128 * 65_536)
  })

  test('a result of any size arrives, and holds the writer back', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const reader = queue.read()
    const event: ExecutionEvent = {
      type: 'result',
      index: 0,
      result: { 'text/html': 'x'.repeat(17 * capacity) },
    }
    const held = queue.push(event)
    expect(await settled(held)).toBe(false)
    expect(queue.isBehind).toBe(true)
    expect((await reader.next()).value).toBe(event)
    expect(await settled(held)).toBe(true)
    expect(queue.isBehind).toBe(false)
  })

  test('a writer of results that waits loses nothing', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const result = { 'text/html': 'x'.repeat(capacity) }
    const writing = (async () => {
      for (let count = 0; count < 40; count++) await queue.push({ type: 'result', index: 0, result })
      queue.end()
    })()
    const events = await collect(queue.read())
    await writing
    expect(events.map(({ type }) => type)).toEqual(Array(40).fill('result'))
  })

  test('a released writer goes on and is not held back again', async () => {
    const queue = new EventQueue()
    queue.claimReader()
    const held = writeUntilHeld(queue)
    queue.release()
    expect(await settled(held)).toBe(true)
    for (let count = 0; count < 100; count++) expect(write(queue, 'x'.repeat(65_536))).toBeUndefined()
  })

  test('a second reader is refused', () => {
    const queue = new EventQueue()
    queue.claimReader()
    expect(() => queue.claimReader()).toThrow(expect.objectContaining({ code: 'EXECUTION_ITERATED_TWICE' }))
  })
})
