import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  DecisionLedger,
  type DecisionLedgerOptions,
  ledgerSchema,
} from '../../src/approval/decision-ledger.ts'
import { FileLedgerStore, fileLedger } from '../../src/approval/file-ledger.ts'
import { type LedgerStore, MemoryLedgerStore } from '../../src/approval/ledger-store.ts'
import { declareWritable } from '../../src/work-directory/writable-directories.ts'

const digest = 'a'.repeat(64)
const otherDigest = 'b'.repeat(64)
const directories: string[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const path of directories.splice(0)) await rm(path, { recursive: true, force: true })
})

async function newDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-ledger-'))
  directories.push(path)
  return path
}

const question = (id: string = randomUUID()) => ({ id, kind: 'code', digest })
const allowed = { state: 'allowed', by: 'person', digest } as const

async function allowedIn(ledger: DecisionLedger): Promise<string> {
  const asked = question()
  await ledger.ask(asked)
  await ledger.decide(asked.id, allowed)
  return asked.id
}

/** Each opens the same decisions again, as another process does where the store is a directory. */
const stores: Readonly<Record<string, () => Promise<() => LedgerStore>>> = {
  memory: async () => {
    const store = new MemoryLedgerStore()
    return () => store
  },
  'a directory': async () => {
    const path = join(await newDirectory(), 'ledger')
    return () => new FileLedgerStore(path)
  },
}

describe.each(Object.entries(stores))('a ledger in %s', (_, newStore) => {
  const opener = async (options: DecisionLedgerOptions = {}) => {
    const open = await newStore()
    return () => new DecisionLedger({ ...options, store: open() })
  }

  it('goes from a question to an end, and every reader sees each state', async () => {
    const open = await opener()
    const asked = { ...question(), after: randomUUID() }
    const states: unknown[] = []
    const look = async () => states.push((await open().find(asked.id))?.state)
    await look()
    await open().ask(asked)
    await look()
    await open().decide(asked.id, allowed)
    await look()
    await open().start(asked.id, digest)
    await look()
    await open().finish(asked.id, 'finished')
    await look()
    expect(states).toEqual([undefined, 'asked', 'allowed', 'started', 'finished'])
    const at = expect.any(Number)
    expect(await open().list()).toEqual([
      {
        ...{ ...asked, state: 'finished', allowedDigest: digest, decidedBy: 'person' },
        ...{ askedAt: at, decidedAt: at, startedAt: at, endedAt: at },
      },
    ])
  })

  it('starts a decision once, whoever tries at the same time', async () => {
    const open = await opener()
    const id = await allowedIn(open())
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => open().start(id, digest)))
    const refused = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []))
    expect(refused).toHaveLength(7)
    for (const error of refused)
      expect(error).toMatchObject({ code: 'APPROVAL_USED', data: { id, state: 'started' } })
  })

  it('has one answer to a question, whoever answers at the same time', async () => {
    const open = await opener()
    const asked = question()
    await open().ask(asked)
    const answers = [
      allowed,
      { state: 'denied', by: 'rule' },
      { state: 'withdrawn' },
      { state: 'expired' },
    ] as const
    const decided = await Promise.allSettled(answers.map((answer) => open().decide(asked.id, answer)))
    expect(decided.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const winner = answers[decided.findIndex(({ status }) => status === 'fulfilled')]
    expect(await open().find(asked.id)).toMatchObject({ state: winner?.state })
  })

  it('takes the same question and the same answer twice', async () => {
    const open = await opener()
    const asked = question()
    await open().ask(asked)
    await open().ask(asked)
    await open().decide(asked.id, allowed)
    await open().decide(asked.id, allowed)
    expect(await open().find(asked.id)).toMatchObject({ state: 'allowed' })
    await expect(open().ask(asked)).rejects.toMatchObject({ code: 'APPROVAL_USED' })
    await expect(open().ask({ ...asked, digest: otherDigest })).rejects.toMatchObject({
      code: 'DUPLICATE_APPROVAL',
    })
    const edit = open().decide(asked.id, { ...allowed, digest: otherDigest })
    await expect(edit).rejects.toMatchObject({ code: 'APPROVAL_USED' })
  })

  it('starts what was allowed, and nothing else', async () => {
    const open = await opener()
    const id = await allowedIn(open())
    await expect(open().start(id, otherDigest)).rejects.toMatchObject({ code: 'APPROVAL_USED' })
    await expect(open().start(randomUUID(), digest)).rejects.toMatchObject({ code: 'UNKNOWN_APPROVAL' })
    await expect(open().start('../x', digest)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    for (const state of ['denied', 'withdrawn', 'expired'] as const) {
      const asked = question()
      await open().ask(asked)
      await expect(open().start(asked.id, digest)).rejects.toMatchObject({ code: 'APPROVAL_USED' })
      await open().decide(asked.id, { state })
      const start = open().start(asked.id, digest)
      await expect(start).rejects.toMatchObject({ code: 'APPROVAL_USED', data: { id: asked.id, state } })
    }
    await open().start(id, digest)
  })

  it('expires questions and permissions, and removes old records', async () => {
    const open = await opener({ expireAfterMs: 1_000 })
    const asked = question()
    await open().ask(asked)
    const id = await allowedIn(open())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 })
    expect((await open().list()).map(({ state }) => state)).toEqual(['expired', 'expired'])
    await expect(open().start(id, digest)).rejects.toMatchObject({
      code: 'APPROVAL_USED',
      data: { state: 'expired' },
    })
    await expect(open().decide(asked.id, allowed)).rejects.toMatchObject({ code: 'APPROVAL_USED' })
    const next = question()
    await open().ask(next)
    expect((await open().list()).map((record) => record.id)).toEqual([next.id])
    await open().remove(next.id)
    expect(await open().list()).toEqual([])
  })

  it('counts a run as unknown whose process is gone', async () => {
    const open = await newStore()
    const ledger = new DecisionLedger({ store: open() })
    const id = await allowedIn(ledger)
    await open().create({ id, step: 'started' }, { state: 'started', at: 1, owner: 'nobody' })
    expect(await ledger.find(id)).toMatchObject({ state: 'unknown' })
  })

  it('denies where a record is damaged', async () => {
    const open = await newStore()
    const ledger = new DecisionLedger({ store: open() })
    const id = randomUUID()
    await open().create({ id, step: 'decided' }, { state: 'allowed', at: 1, digest })
    await expect(ledger.start(id, digest)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE', data: { id } })
    await expect(ledger.list()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    await ledger.remove(id)
    expect(await ledger.list()).toEqual([])
  })
})

describe('a ledger in a directory', () => {
  it.skipIf(process.platform === 'win32')('is for its user alone, and leaves no other files', async () => {
    const path = join(await newDirectory(), 'a', 'ledger')
    const id = await allowedIn(fileLedger(path))
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    const names = await readdir(path)
    expect(names.sort()).toEqual([`${id}.asked`, `${id}.decided`])
    for (const name of names) expect((await stat(join(path, name))).mode & 0o777).toBe(0o600)
    await chmod(path, 0o750)
    await expect(fileLedger(path).find(id)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      data: { path },
    })
  })

  it.each(['', '{', '{}', 'null', '[]'])('denies a record whose file has %j', async (text) => {
    const path = join(await newDirectory(), 'ledger')
    const ledger = fileLedger(path)
    const id = await allowedIn(ledger)
    await writeFile(join(path, `${id}.decided`), text)
    await expect(ledger.start(id, digest)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE', data: { id } })
    expect(await readdir(path)).not.toContain(`${id}.started`)
  })

  it.skipIf(process.platform === 'win32').each<[string, (path: string, ledger: string) => Promise<unknown>]>([
    ['a FIFO', async (path) => execFileSync('mkfifo', [path])],
    ['a directory', (path) => mkdir(path)],
    ['a link to a device', (path) => symlink('/dev/zero', path)],
    ['a link to a record', (path, ledger) => symlink(join(ledger, '..', 'decided'), path)],
    ['a file without an end', (path) => writeFile(path, '').then(() => truncate(path, 2 ** 40))],
  ])('denies a record that is %s, without waiting', async (_, replace) => {
    const path = join(await newDirectory(), 'ledger')
    const ledger = fileLedger(path)
    const id = await allowedIn(ledger)
    const record = join(path, `${id}.decided`)
    await rename(record, join(path, '..', 'decided'))
    await replace(record, path)
    await expect(ledger.start(id, digest)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE', data: { id } })
    await expect(ledger.list()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    expect(await readdir(path)).not.toContain(`${id}.started`)
  })

  it.skipIf(process.platform === 'win32')(
    'denies from the moment on at which others can open it',
    async () => {
      const path = join(await newDirectory(), 'ledger')
      const ledger = fileLedger(path)
      const id = await allowedIn(ledger)
      await chmod(path, 0o770)
      await expect(ledger.start(id, digest)).rejects.toMatchObject({
        code: 'LEDGER_UNAVAILABLE',
        data: { path },
      })
      await expect(ledger.find(id)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
      await chmod(path, 0o700)
      await ledger.start(id, digest)
    },
  )

  it('denies where it was removed, instead of beginning anew', async () => {
    const path = join(await newDirectory(), 'ledger')
    const ledger = fileLedger(path)
    const id = await allowedIn(ledger)
    await rm(path, { recursive: true })
    await expect(ledger.start(id, digest)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    await expect(ledger.ask(question())).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
  })

  it('denies a decision whose answer or start was deleted before what follows it', async () => {
    const path = join(await newDirectory(), 'ledger')
    const ledger = fileLedger(path)
    for (const step of ['decided', 'started']) {
      const id = await allowedIn(ledger)
      await ledger.start(id, digest)
      await ledger.finish(id, 'finished')
      await rm(join(path, `${id}.${step}`))
      await expect(ledger.start(id, digest)).rejects.toMatchObject({
        code: 'LEDGER_UNAVAILABLE',
        data: { id },
      })
    }
  })

  it('denies where it is not a directory, or lies where programs can write', async () => {
    const directory = await newDirectory()
    const file = join(directory, 'file')
    await writeFile(file, '')
    await expect(allowedIn(fileLedger(file))).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
    declareWritable(directory)
    const inside = fileLedger(join(directory, 'ledger'))
    await expect(allowedIn(inside)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
  })

  it('removes the files of processes that ended while they wrote', async () => {
    const path = join(await newDirectory(), 'ledger')
    const id = await allowedIn(fileLedger(path))
    const [old, recent] = [join(path, `${id}.started.old.tmp`), join(path, `${id}.started.recent.tmp`)]
    for (const file of [old, recent]) await writeFile(file, '{"state"')
    await truncate(old, 1)
    await utimes(old, 1, 1)
    expect(await fileLedger(path).list()).toMatchObject([{ id, state: 'allowed' }])
    const names = await readdir(path)
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([`${id}.started.recent.tmp`])
  })

  it('keeps no fields but those of its records', async () => {
    const path = join(await newDirectory(), 'ledger')
    const ledger = fileLedger(path)
    const asked = { ...question(), blocks: [{ language: 'sh', code: 'secret' }], context: 'secret' }
    await ledger.ask(asked)
    expect(await readFile(join(path, `${asked.id}.asked`), 'utf8')).not.toContain('secret')
  })
})

it('keeps a bounded number of closed decisions in memory', async () => {
  const store = new MemoryLedgerStore()
  const open = randomUUID()
  await store.create({ id: open, step: 'asked' }, { state: 'asked', at: 1, kind: 'code', digest } as never)
  for (let count = 0; count < 10_010; count++)
    await store.create({ id: `${count}`, step: 'decided' }, { state: 'denied', at: 1 } as never)
  const ids = await store.list()
  expect(ids).toHaveLength(10_001)
  expect(ids[0]).toBe(open)
})

it('refuses options that it does not have', () => {
  expect(() => new DecisionLedger({ expireAfterMs: 0 })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS' }),
  )
  expect(() => new DecisionLedger({ store: {} as never })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS' }),
  )
})

it('as an option is a ledger, also of another copy of this package', () => {
  const ledger = new DecisionLedger()
  const { ask, decide, start, finish, find } = ledger
  const values = [ledger, { ask, decide, start, finish, find }, { ask, decide, start, finish }, {}, undefined]
  expect(values.map((value) => ledgerSchema.safeParse(value).success)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
