import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StartOptions } from '@fenced/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PoolCreateOptions, SandboxPoolOptions } from '../../src/pool/pool-options.ts'
import { SandboxPool } from '../../src/pool/sandbox-pool.ts'

/** Starts and stops when it is told to, and checks that no other one works in its directory. */
class Resource {
  static readonly directories = new Set<string>()
  readonly workDir: string | undefined
  isStopped = false
  stopGate: Promise<void> | undefined
  #startGate: Promise<void> | undefined

  constructor(workDir: string | undefined, startGate: Promise<void> | undefined) {
    this.workDir = workDir
    this.#startGate = startGate
  }

  async start(_: StartOptions = {}): Promise<void> {
    if (this.workDir !== undefined) {
      expect(Resource.directories).not.toContain(this.workDir)
      Resource.directories.add(this.workDir)
    }
    await this.#startGate
  }

  async stop(): Promise<void> {
    await this.stopGate
    this.isStopped = true
    if (this.workDir !== undefined) Resource.directories.delete(this.workDir)
  }
}

interface PoolOptions extends Partial<SandboxPoolOptions<Resource>> {
  readonly keepsFiles?: boolean
  readonly startGate?: Promise<void>
}

function poolOf({ keepsFiles = true, startGate, ...options }: PoolOptions = {}) {
  const made: Resource[] = []
  const create = (given: PoolCreateOptions) => {
    const one = new Resource(keepsFiles ? given.workDir : undefined, startGate)
    made.push(one)
    return one
  }
  const pool = new SandboxPool<Resource>({ create, size: 0, ...options })
  onTestFinished(() => pool.stop())
  /** Uses a key once. */
  const use = async (key: string, user?: string) => {
    const lease = await pool.get(key, { user })
    await lease.release()
    return lease
  }
  return { pool, made, use }
}

const fileOf = ({ workDir = '' }: Resource) => join(workDir, 'work.txt')

describe('a pool whose sandboxes belong to idle keys', () => {
  it('stops the one that was idle longest for a caller that waits, and no other', async () => {
    const { pool, use } = poolOf({ max: 3 })
    const [a, b] = [await use('a'), await use('b')]
    const held = await pool.get('held')
    const again = await use('a')
    expect(again.resource).toBe(a.resource)
    await pool.get('new')
    expect([a, b, held].map(({ resource }) => resource.isStopped)).toEqual([false, true, false])
    const clean = await pool.acquire()
    expect(a.resource.isStopped).toBe(true)
    expect(pool.state).toMatchObject({ inUse: 3, waiting: 0, started: 5, stopped: 2 })
    await clean.release()
  })

  it('keeps the files of the key, and tells its next lease once', async () => {
    const { pool, use } = poolOf({ max: 1 })
    const first = await use('a', 'ada')
    await writeFile(fileOf(first.resource), 'important')
    const other = await use('b')
    expect(other.resource.workDir).not.toBe(first.resource.workDir)
    expect(pool.has('a')).toBe(true)
    await expect(pool.get('a')).rejects.toMatchObject({ code: 'KEY_OF_ANOTHER_USER' })
    const second = await use('a', 'ada')
    expect(second.resource).not.toBe(first.resource)
    expect(await readFile(fileOf(second.resource), 'utf8')).toBe('important')
    expect(second).toMatchObject({
      isFirst: true,
      notice: { code: 'sandbox-replaced', data: { reason: 'needed', files: 'kept' } },
    })
    expect((await use('a', 'ada')).notice).toBeUndefined()
  })

  it('says that the files are lost where `create` has another directory', async () => {
    const { pool, use } = poolOf({ max: 1, keepsFiles: false })
    await use('a')
    await use('b')
    expect(pool.has('a')).toBe(false)
    expect((await use('a')).notice).toMatchObject({ data: { reason: 'needed', files: 'lost' } })
  })

  it('removes the files of a key that stays idle, that is discarded, and of a pool that stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { pool, use } = poolOf({ max: 1, idleTimeoutMs: 1_000 })
    const idle = await use('idle')
    const discarded = await pool.get('discarded')
    expect(existsSync(idle.resource.workDir ?? '')).toBe(true)
    vi.advanceTimersByTime(1_000)
    await discarded.discard()
    await vi.waitUntil(() => !existsSync(idle.resource.workDir ?? ''), { timeout: 120_000 })
    expect(existsSync(discarded.resource.workDir ?? '')).toBe(false)
    const next = await use('idle')
    expect(next.notice).toMatchObject({ data: { reason: 'idle', files: 'lost' } })
    const last = await pool.get('last')
    await pool.stop()
    for (const { resource } of [next, last]) expect(existsSync(resource.workDir ?? '')).toBe(false)
  })

  it('gives a user with `maxPerUser` sandboxes the place of an idle one, and takes none of another user', async () => {
    const { pool, use } = poolOf({ max: 3, maxPerUser: 1 })
    const other = await use('b', 'bob')
    const own = await use('a1', 'ada')
    const next = await pool.get('a2', { user: 'ada' })
    expect([own, other].map(({ resource }) => resource.isStopped)).toEqual([true, false])
    await next.release()
  })

  it('gives up a ready sandbox for a key that has files', async () => {
    const { pool, use } = poolOf({ max: 1, size: 1 })
    const first = await use('a')
    await (await pool.get('b')).discard()
    await expect.poll(() => pool.state.ready).toBe(1)
    const again = await use('a')
    expect(again.resource.workDir).toBe(first.resource.workDir)
  })

  it('takes another idle one while the stop of the first fails', async () => {
    const { pool, use } = poolOf({ max: 2 })
    const [a, b] = [await use('a'), await use('b')]
    a.resource.stopGate = Promise.reject(new Error('engine lost'))
    a.resource.stopGate.catch(() => {})
    await use('c')
    expect([a, b].map(({ resource }) => resource.isStopped)).toEqual([false, true])
    // The files of the first must not be used by two sandboxes at a time.
    await expect(pool.get('a')).rejects.toThrow('engine lost')
    a.resource.stopGate = undefined
    expect((await use('a')).resource.workDir).toBe(a.resource.workDir)
  })

  it('ends a wait for a stop that hangs, at `waitTimeoutMs`, at the signal and at the stop of the pool', async () => {
    const { pool, use } = poolOf({ max: 1, waitTimeoutMs: 50 })
    const { resource } = await use('a')
    const gate = Promise.withResolvers<void>()
    resource.stopGate = gate.promise
    await expect(pool.get('b')).rejects.toMatchObject({ code: 'POOL_FULL' })
    await expect(pool.get('a')).rejects.toMatchObject({ code: 'POOL_FULL' })
    const signal = AbortSignal.abort(new Error('not wanted'))
    await expect(pool.get('a', { signal })).rejects.toThrow('not wanted')
    const late = expect(pool.get('a')).rejects.toMatchObject({ code: 'POOL_STOPPED' })
    const stopped = pool.stop()
    await late
    gate.resolve()
    await stopped
    expect(existsSync(resource.workDir ?? '')).toBe(false)
  })

  it('replaces the sandbox of an idle key that no longer works, with its files', async () => {
    const isUsable = vi.fn(async ({ isStopped }: Resource) => !isStopped)
    const { use } = poolOf({ isUsable })
    const { resource } = await use('a')
    await writeFile(fileOf(resource), 'important')
    expect((await use('a')).resource).toBe(resource)
    expect(isUsable).not.toHaveBeenCalled()
    resource.isStopped = true
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
    onTestFinished(() => void vi.restoreAllMocks())
    const next = await use('a')
    expect(next.resource).not.toBe(resource)
    expect(next.notice).toMatchObject({ data: { reason: 'unusable', files: 'kept' } })
    expect(await readFile(fileOf(next.resource), 'utf8')).toBe('important')
  })

  it('checks an executor that asks without a question', async () => {
    const spawn = vi.fn()
    const which = vi.fn(async () => new Map())
    const { use, made } = poolOf()
    await use('a')
    Object.assign(made[0] ?? {}, { sandbox: { capabilities: { asks: true }, spawn, which } })
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await use('a')).resource).toBe(made[0])
    which.mockRejectedValue(new Error('gone'))
    vi.spyOn(performance, 'now').mockReturnValue(now + 120_000)
    expect((await use('a')).resource).toBe(made[1])
    expect(spawn).not.toHaveBeenCalled()
  })

  it('hands out nothing while it stops', async () => {
    const { pool, use } = poolOf()
    await use('a')
    const given = expect(pool.get('a')).rejects.toMatchObject({ code: 'POOL_STOPPED' })
    await pool.stop()
    await given
  })

  it('serves 200 users with 20 sandboxes, and each again with its files', async () => {
    const { pool } = poolOf({ max: 20 })
    let most = 0
    const visit = async (user: string) => {
      const lease = await pool.get(`key of ${user}`, { user })
      most = Math.max(most, Resource.directories.size)
      const found = await readFile(fileOf(lease.resource), 'utf8').catch(() => '')
      await writeFile(fileOf(lease.resource), `${found}${user};`)
      await lease.release()
      return found
    }
    const users = Array.from({ length: 200 }, (_, index) => `user ${index}`)
    expect(await Promise.all(users.map(visit))).toEqual(users.map(() => ''))
    expect(await Promise.all(users.map(visit))).toEqual(users.map((user) => `${user};`))
    expect(most).toBeLessThanOrEqual(20)
    expect(pool.state).toMatchObject({ inUse: 20, waiting: 0, keys: 200 })
  })
})

describe('a line of callers', () => {
  /** The order in which callers get the only sandbox. */
  async function orderOf(users: readonly (string | undefined)[]) {
    const { pool } = poolOf({ max: 1, keepsFiles: false })
    const first = await pool.acquire()
    const order: string[] = []
    const callers = users.map(async (user, index) => {
      const lease = await pool.acquire({ user })
      order.push(`${user ?? 'none'} ${index}`)
      await lease.release()
    })
    await first.release()
    await Promise.all(callers)
    return order
  }

  it('lets users take turns', async () => {
    expect(await orderOf(['ada', 'ada', 'ada', 'bob', undefined, 'bob', undefined])).toEqual([
      ...['ada 0', 'bob 3', 'none 4', 'ada 1', 'bob 5', 'none 6', 'ada 2'],
    ])
  })

  it('refuses, when it is full, the newest caller of the user of whom most wait', async () => {
    const { pool } = poolOf({ max: 1, maxWaiting: 3 })
    const first = await pool.acquire()
    const ada = [1, 2, 3].map(() => pool.acquire({ user: 'ada' }))
    const refused = expect(ada[2]).rejects.toMatchObject({ code: 'POOL_FULL', data: { waiting: '3' } })
    const bob = pool.acquire({ user: 'bob' })
    await refused
    await expect(pool.acquire({ user: 'ada' })).rejects.toMatchObject({ code: 'POOL_FULL' })
    expect(pool.state.waiting).toBe(3)
    await first.release()
    for (const lease of [ada[0], bob, ada[1]]) await (await lease)?.release()
  })

  it('serves a caller with the place of an idle key also where none may wait', async () => {
    const { pool, use } = poolOf({ max: 1, maxWaiting: 0 })
    await use('a')
    await use('b')
    await pool.get('b')
    await expect(pool.get('a')).rejects.toMatchObject({ code: 'POOL_FULL' })
    expect(pool.has('a')).toBe(true)
  })
})
