import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { defineExecutor } from '../engine/define-executor.ts'
import { shareReplay } from './share-replay.ts'

/** Prints its lines one after the other, and `hang` until it is stopped. */
const printer = defineExecutor({
  name: 'printer',
  languages: ['sh'],
  driver: () => ({
    run: async ({ code }, io) => {
      for (const line of code.trim().split('\n')) {
        if (line === 'broken') throw new Error('the executor is gone')
        if (line === 'hang' && !io.signal.aborted) await once(io.signal, 'abort')
        await io.write('stdout', Buffer.from(`${line}\n`))
      }
      return { exitCode: 0 }
    },
  }),
})

const run = (code: string) => shareReplay(printer().execute([{ language: 'sh', code }]))

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a run that writes more than is kept', () => {
  const chunk = 'x'.repeat(65_536)

  /** 200 chunks, with room for 16. */
  function flood() {
    const flooding = defineExecutor({
      name: 'flooding',
      languages: ['sh'],
      driver: () => ({
        run: async (_, io) => {
          for (let count = 0; count < 200; count++) await io.write('stdout', Buffer.from(chunk))
          return { exitCode: 0 }
        },
      }),
    })
    return shareReplay(flooding().execute([{ language: 'sh', code: '' }]), { maxBytes: 16 * 65_536 })
  }

  const textOf = (events: readonly { type: string; text?: string }[]) =>
    events.reduce((sum, { text = '' }) => sum + text.length, 0)

  it('keeps the first and the newest events, and a notice in place of the others', async () => {
    const shared = flood()
    await collect(shared)
    const events = await collect(shared)
    expect(events[0]?.type).toBe('block-start')
    expect(events.at(-1)?.type).toBe('execution-end')
    expect(textOf(events)).toBeGreaterThan(4 * 65_536)
    expect(textOf(events)).toBeLessThan(16 * 65_536)
    const notices = events.filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ notice: { code: 'live-output-dropped' } }])
  })

  it('has ids that stay the same, also for a reader that comes back in the middle of the gap', async () => {
    const shared = flood()
    const live = await collect(shared.entries())
    expect(live.map(([id]) => id)).toEqual(live.map((_, index) => index + 1))
    expect(textOf(live.map(([, event]) => event))).toBe(200 * 65_536)
    const late = await collect(shared.entries())
    const gapAt = late.findIndex(([, { type }]) => type === 'notice')
    const [lastOfGap] = late[gapAt] ?? [0]
    expect([...late.slice(0, gapAt), ...late.slice(gapAt + 1)]).toEqual([
      ...live.slice(0, gapAt),
      ...live.slice(lastOfGap),
    ])
    const comingBack = await collect(shared.entries({ after: lastOfGap - 3 }))
    expect(comingBack[0]).toMatchObject([lastOfGap, { notice: { data: { count: '3' } } }])
    expect(comingBack.slice(1)).toEqual(late.slice(gapAt + 1))
  })

  it('keeps its last event, however large it is', async () => {
    const shared = shareReplay(printer().execute([{ language: 'sh', code: 'one' }]), { maxBytes: 1 })
    await collect(shared)
    expect((await collect(shared)).map(({ type }) => type)).toEqual(['notice', 'execution-end'])
  })
})

describe('a run that is shared', () => {
  it.each([-1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('has no event behind %s', async (after) => {
    await expect(collect(run('one').entries({ after }))).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('has all of its events for each reader, also for one that comes when it is over', async () => {
    const shared = run('one\ntwo\nthree')
    const [first, second] = await Promise.all([collect(shared), collect(shared)])
    const late = await collect(shared)
    expect(first.map(({ type }) => type)).toContain('stdout')
    expect(first.at(-1)?.type).toBe('execution-end')
    expect(second).toEqual(first)
    expect(late).toEqual(first)
    expect((await shared).output).toBe('one\ntwo\nthree\n')
  })

  it('goes on for a reader where it was, with ids that stay the same', async () => {
    const shared = run('one\ntwo\nthree')
    const all = await collect(shared.entries())
    expect(all.map(([id]) => id)).toEqual(all.map((_, index) => index + 1))
    expect(await collect(shared.entries({ after: 2 }))).toEqual(all.slice(2))
    expect(await collect(shared.entries({ after: all.length }))).toEqual([])
  })

  it('is not ended by a reader who leaves, nor held back by one who is slow', async () => {
    const shared = run('one\ntwo\nthree')
    for await (const _ of shared) break
    const slow = shared.entries()
    await slow.next()
    expect((await shared).status).toBe('ok')
  })

  it('is left by the signal of a reader, who waits for the next event', async () => {
    const shared = run('one\nhang')
    const stop = new AbortController()
    const waiting = collect(shared.entries({ signal: stop.signal }))
    for await (const { type } of shared) if (type === 'stdout') break
    stop.abort()
    expect((await waiting).map(([, { type }]) => type)).toContain('stdout')
    await shared.cancel()
  })

  it('is ended by `cancel`, and its readers see the end', async () => {
    const shared = run('one\nhang')
    const reading = collect(shared)
    for await (const { type } of shared) if (type === 'stdout') break
    await shared.cancel()
    expect((await shared).status).toBe('cancelled')
    expect((await reading).map(({ type }) => type)).toContain('stdout')
  })

  it('throws for each reader what it fails with', async () => {
    const failing = () => shareReplay(printer().execute([{ language: 'none', code: '' }]))
    const shared = run('one\nbroken')
    for (const reader of [collect(shared), collect(shared), Promise.resolve(shared)])
      await expect(reader).rejects.toMatchObject({
        code: 'DRIVER_FAILED',
        data: { reason: 'the executor is gone' },
      })
    await expect(failing()).resolves.toMatchObject({ status: 'invalid' })
    const execution = printer().execute([{ language: 'sh', code: 'one' }])
    await collect(execution)
    expect(() => shareReplay(execution)).toThrow(
      expect.objectContaining({ code: 'EXECUTION_ITERATED_TWICE' }),
    )
  })
})
