import type { StartOptions } from '@fenced/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SandboxPoolOptions } from '../../src/pool/pool-options.ts'
import { SandboxPool } from '../../src/pool/sandbox-pool.ts'

/** Does what no real sandbox does on demand: its start waits or fails, its stop fails, it does not answer. */
class Faulty {
  static made = 0
  readonly number = ++Faulty.made
  isStarted = false
  isStopped = false

  readonly #faults: Faults

  constructor(faults: Faults = {}) {
    this.#faults = faults
  }

  async start({ signal }: StartOptions = {}): Promise<void> {
    await this.#faults.gate
    signal?.throwIfAborted()
    if (this.#faults.start !== undefined) throw this.#faults.start
    this.isStarted = true
  }

  async stop(): Promise<void> {
    const error = this.#faults.stop?.shift()
    if (error !== undefined) throw error
    this.isStopped = true
  }
}

interface Faults {
  readonly gate?: Promise<void>
  readonly start?: Error
  /** What its first stops reject with. */
  readonly stop?: Error[]
}

/** A pool, and all that it made. */
function poolOf(options: Partial<SandboxPoolOptions<Faulty>> = {}, faults: readonly Faults[] = []) {
  const made: Faulty[] = []
  const create = () => {
    const one = new Faulty(faults[made.length])
    made.push(one)
    return one
  }
  const pool = new SandboxPool<Faulty>({ create, ...options })
  onTestFinished(() => pool.stop())
  return { pool, made }
}

const until = (condition: () => boolean) => expect.poll(condition).toBe(true)

describe('a clean one', () => {
  it('is started ahead, handed out once and stopped when it is given back', async () => {
    const { pool, made } = poolOf({ size: 2 })
    await pool.start()
    expect(pool.state).toMatchObject({ ready: 2, inUse: 0, started: 2 })
    const first = await pool.acquire()
    const second = await pool.acquire()
    expect(first.resource).not.toBe(second.resource)
    await Promise.all([first.release(), first.release(), second.discard()])
    expect(made.slice(0, 2).every(({ isStopped }) => isStopped)).toBe(true)
    await until(() => pool.state.ready === 2)
    expect(pool.state).toMatchObject({ inUse: 0, started: 4, stopped: 2 })
  })

  it('is started for a caller where none waits, without a start before', async () => {
    const { pool } = poolOf({ size: 0 })
    const { resource } = await pool.acquire()
    expect(resource.isStarted).toBe(true)
    expect(pool.state).toMatchObject({ ready: 0, starting: 0, inUse: 1 })
  })

  it('goes to callers in the order in which they came, and to no more than `max` at a time', async () => {
    const { pool } = poolOf({ size: 0, max: 2 })
    const order: string[] = []
    const ask = async (name: string) => {
      const lease = await pool.acquire()
      order.push(name)
      return lease
    }
    const leases = [ask('a'), ask('b'), ask('c'), ask('d')]
    const [a, b] = [await leases[0], await leases[1]]
    expect(pool.state).toMatchObject({ inUse: 2, waiting: 2 })
    await a?.release()
    await leases[2]
    await b?.release()
    await leases[3]
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  it('lets others pass a user who has as many as one may', async () => {
    const { pool } = poolOf({ size: 0, max: 3, maxPerUser: 1 })
    const first = await pool.acquire({ user: 'ada' })
    const second = pool.acquire({ user: 'ada' })
    await pool.acquire({ user: 'bob' })
    await pool.acquire()
    expect(pool.state).toMatchObject({ inUse: 3, waiting: 1 })
    await first.release()
    expect((await second).resource.isStarted).toBe(true)
  })

  it('is not waited for longer, or by more callers, than the options say', async () => {
    const { pool } = poolOf({ size: 0, max: 1, maxWaiting: 1, waitTimeoutMs: 50 })
    await pool.acquire()
    const late = expect(pool.acquire()).rejects.toMatchObject({
      code: 'POOL_FULL',
      data: { option: 'max', limit: '1', limitMs: '50' },
    })
    await expect(pool.acquire()).rejects.toMatchObject({
      code: 'POOL_FULL',
      data: { option: 'max', limit: '1', waiting: '1' },
    })
    await late
    expect(pool.state.waiting).toBe(0)
  })

  describe('whose check does not answer', () => {
    /** A pool whose ready one has waited for so long that it is checked. */
    async function checkedPool(options: Partial<SandboxPoolOptions<Faulty>> = {}) {
      const isUsable = vi.fn(() => new Promise<boolean>(() => {}))
      const { pool } = poolOf({ size: 1, max: 1, isUsable, ...options })
      await pool.start()
      const now = performance.now()
      vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
      onTestFinished(() => void vi.restoreAllMocks())
      return { pool, isUsable }
    }

    it('is not waited for longer than `waitTimeoutMs`', async () => {
      const { pool } = await checkedPool({ waitTimeoutMs: 50 })
      await expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_FULL' })
    })

    it('is given up by the signal of its caller', async () => {
      const { pool, isUsable } = await checkedPool()
      const controller = new AbortController()
      const given = pool.acquire({ signal: controller.signal })
      await until(() => isUsable.mock.calls.length === 1)
      controller.abort(new Error('not wanted'))
      await expect(given).rejects.toThrow('not wanted')
    })

    it('is not handed out by a pool that stops', async () => {
      const { pool, isUsable } = await checkedPool()
      const given = expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_STOPPED' })
      await until(() => isUsable.mock.calls.length === 1)
      await pool.stop()
      await given
    })
  })

  it('counts a caller as waiting whom no start can serve', async () => {
    const gate = Promise.withResolvers<void>()
    const { pool } = poolOf(
      { size: 0, maxWaiting: 0, maxPerUser: 1 },
      [gate, gate, gate].map(({ promise }) => ({ gate: promise })),
    )
    const users = ['ada', 'bob', 'eve'].map((user) => pool.acquire({ user }))
    await until(() => pool.state.starting === 3)
    await expect(pool.acquire({ user: 'ada' })).rejects.toMatchObject({ code: 'POOL_FULL' })
    gate.resolve()
    expect(await Promise.all(users)).toHaveLength(3)
  })

  it('stays for the next one when a caller gives the wait up', async () => {
    const gate = Promise.withResolvers<void>()
    const { pool } = poolOf({ size: 0 }, [{ gate: gate.promise }])
    const controller = new AbortController()
    const given = pool.acquire({ signal: controller.signal })
    controller.abort(new Error('not wanted'))
    await expect(given).rejects.toThrow('not wanted')
    gate.resolve()
    await until(() => pool.state.ready === 1)
    expect((await pool.acquire()).resource.number).toBe(Faulty.made)
  })

  it('is stopped at the end of its life, also in the middle of its use', async () => {
    const { pool, made } = poolOf({ size: 1, maxLifetimeMs: 30 })
    const { resource } = await pool.acquire()
    await until(() => resource.isStopped)
    // And those that wait are replaced.
    await until(() => made.length > 3)
  })
})

describe('a fault', () => {
  it('of a start is what its caller gets, and the next one is started', async () => {
    const { pool, made } = poolOf({ size: 0 }, [{ start: new Error('no engine') }])
    await expect(pool.acquire()).rejects.toThrow('no engine')
    expect(made[0]?.isStopped).toBe(true)
    expect((await pool.acquire()).resource).toBe(made[1])
    expect(pool.state).toMatchObject({ failed: 1, started: 1, inUse: 1 })
  })

  it('of a start ahead is what `start` rejects with, and is tried again', async () => {
    const { pool } = poolOf({ size: 1 }, [{ start: new Error('no engine') }])
    await expect(pool.start()).rejects.toThrow('no engine')
    expect(pool.state).toMatchObject({ failed: 1, ready: 0 })
    await expect.poll(() => pool.state.ready).toBe(1)
  })

  it('of the making is what its caller gets', async () => {
    const create = () => {
      throw new TypeError('wrong options')
    }
    const { pool } = poolOf({ size: 0, create })
    await expect(pool.acquire()).rejects.toThrow('wrong options')
    expect(pool.state).toMatchObject({ failed: 1, inUse: 0, starting: 0 })
  })

  it('of a stop is what `release` rejects with, counts as one in use and is repeated by `stop`', async () => {
    const { pool, made } = poolOf({ size: 0, max: 1 }, [{ stop: [new Error('engine lost')] }])
    const lease = await pool.acquire()
    await expect(lease.release()).rejects.toThrow('engine lost')
    expect(pool.state.inUse).toBe(1)
    await pool.stop()
    expect(made[0]?.isStopped).toBe(true)
    expect(pool.state.inUse).toBe(0)
  })

  it('refuses those who wait when it is stopped, and stops what starts', async () => {
    const gate = Promise.withResolvers<void>()
    const { pool, made } = poolOf({ size: 0, max: 1 }, [{ gate: gate.promise }])
    const waiting = expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_STOPPED' })
    const stopped = pool.stop()
    await waiting
    gate.resolve()
    await stopped
    expect(made[0]).toMatchObject({ isStarted: false, isStopped: true })
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_STOPPED' })
    await pool.start()
    expect((await pool.acquire()).resource.isStarted).toBe(true)
  })
})

describe('a key', () => {
  it('is the same for all who ask, and stays when nobody holds it', async () => {
    const { pool, made } = poolOf({ size: 0 })
    const [one, two] = await Promise.all([pool.get('s'), pool.get('s')])
    expect(one.resource).toBe(two.resource)
    await one.release()
    await two.release()
    expect((await pool.get('s')).resource).toBe(one.resource)
    expect((await pool.get('other')).resource).not.toBe(one.resource)
    expect(made).toHaveLength(2)
    expect(pool.state.keys).toBe(2)
  })

  it('ends when it was idle for too long, and not while somebody holds it', async () => {
    const { pool } = poolOf({ size: 0, idleTimeoutMs: 30 })
    const held = await pool.get('held')
    const idle = await pool.get('idle')
    await idle.release()
    await until(() => idle.resource.isStopped)
    expect(held.resource.isStopped).toBe(false)
    expect(pool.state.keys).toBe(1)
    expect((await pool.get('idle')).resource).not.toBe(idle.resource)
  })

  it('gets a clean one after so many uses, and after it was discarded', async () => {
    const { pool, made } = poolOf({ size: 0, maxUses: 2 })
    const first = await pool.get('s')
    await first.release()
    const second = await pool.get('s')
    expect(second.resource).toBe(first.resource)
    await second.release()
    const third = await pool.get('s')
    expect(first.resource.isStopped).toBe(true)
    expect(third.resource).toBe(made[1])
    await third.discard()
    expect(third.resource.isStopped).toBe(true)
    expect((await pool.get('s')).resource).toBe(made[2])
  })

  it('gets a clean one after the end of its life', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { pool } = poolOf({ size: 0, maxLifetimeMs: 200 })
    const first = await pool.get('s')
    vi.advanceTimersByTime(199)
    expect((await pool.get('s')).resource).toBe(first.resource)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await until(() => first.resource.isStopped)
    expect((await pool.get('s')).resource).not.toBe(first.resource)
  })

  it('is not given to another user', async () => {
    const { pool } = poolOf({ size: 0 })
    await pool.get('s', { user: 'ada' })
    await expect(pool.get('s', { user: 'bob' })).rejects.toMatchObject({ code: 'KEY_OF_ANOTHER_USER' })
    await expect(pool.get('s')).rejects.toMatchObject({ code: 'KEY_OF_ANOTHER_USER' })
  })

  it('that never began leaves nothing behind', async () => {
    const { pool } = poolOf({ size: 0 }, [{ start: new Error('no engine') }])
    await expect(pool.get('s', { user: 'ada' })).rejects.toThrow('no engine')
    expect(pool.state).toMatchObject({ keys: 0, inUse: 0 })
    expect((await pool.get('s', { user: 'bob' })).resource.isStarted).toBe(true)
  })

  it('has no age and idle limit where they are infinite', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const noLimit = Number.POSITIVE_INFINITY
    const { pool } = poolOf({ size: 0, idleTimeoutMs: noLimit, maxLifetimeMs: noLimit })
    const first = await pool.get('s')
    await first.release()
    vi.advanceTimersByTime(60 * 24 * 3_600_000)
    const second = await pool.get('s')
    expect(second.resource).toBe(first.resource)
    expect(first.resource.isStopped).toBe(false)
  })

  it('hears from its lease that it has a new one', async () => {
    const { pool } = poolOf({ size: 0 })
    const [first, second] = await Promise.all([pool.get('s'), pool.get('s')])
    expect([first.isFirst, second.isFirst]).toEqual([true, false])
    await first.discard()
    expect((await pool.get('s')).isFirst).toBe(true)
    expect((await pool.acquire()).isFirst).toBe(true)
  })

  it('is over when the pool stops', async () => {
    const { pool } = poolOf({ size: 0 })
    const { resource } = await pool.get('s')
    await pool.stop()
    expect(resource.isStopped).toBe(true)
    expect(pool.state.keys).toBe(0)
  })
})

it('says what is wrong with its options', () => {
  expect(() => poolOf({ size: 5, max: 2 })).toThrow(wrongOption('size'))
  expect(() => poolOf({ maxLifetimeMs: 0 })).toThrow(wrongOption('maxLifetimeMs'))
  expect(() => poolOf({ create: 'x' as never })).toThrow(wrongOption('create'))
})

function wrongOption(option: string) {
  return expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } })
}
