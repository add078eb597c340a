import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { LocalSandbox } from '@fenced/sandbox-local'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { TestedBefore } from '../src/isolation/tested-before.ts'
import { UnprivilegedUser } from '../src/isolation/unprivileged-user.ts'
import { useOwnHome } from './own-home.ts'
import { bubblewrap, unprivilegedUser } from './requirements.ts'

useOwnHome()

describe.skipIf(bubblewrap.missing)('a bubblewrap that was tested before', () => {
  let directory = ''
  let program = ''
  let log = ''

  /** A bwrap that counts its starts. */
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fenced-bwrap-'))
    log = join(directory, 'log')
    program = join(directory, 'bwrap')
    const usual = process.env.PATH ?? ''
    await writeFile(log, '')
    await writeFile(program, script('exec /usr/bin/bwrap "$@"'), { mode: 0o755 })
    vi.stubEnv('PATH', `${directory}${delimiter}${usual}`)
    return async () => {
      vi.unstubAllEnvs()
      await rm(directory, { recursive: true })
    }
  })

  const script = (then: string) => `#!/bin/sh\necho started >> ${log}\n${then}\n`
  const starts = async () => (await readFile(log, 'utf8')).split('\n').length - 1

  async function started(): Promise<LocalSandbox> {
    const sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
    onTestFinished(() => sandbox.stop())
    await sandbox.start()
    return sandbox
  }

  it('is not tested again, and starts programs', async () => {
    await started()
    expect(await starts()).toBe(1)
    const sandbox = await started()
    expect(await starts()).toBe(1)
    const process = await sandbox.spawn(['/bin/sh', '-c', 'echo there'])
    expect((await process.stdout.toArray()).join('')).toBe('there\n')
    expect(await starts()).toBe(2)
  })

  it('is tested again when it is another program', async () => {
    await started()
    appendFileSync(program, '# another one\n')
    await started()
    expect(await starts()).toBe(2)
  })

  it('is tested again after a program for which there was no sandbox', async () => {
    const sandbox = await started()
    // The file is the same one until it is changed back, so only the failure tells.
    const readable = join(directory, 'readable')
    await writeFile(readable, '')
    const other = new LocalSandbox({ isolation: 'bubblewrap', readable: [readable] })
    onTestFinished(() => other.stop())
    await other.start()
    const before = await starts()
    await rm(readable)
    const process = await other.spawn(['/bin/true'])
    expect(await process.ended).toMatchObject({ kind: 'not-started' })
    await writeFile(readable, '')
    const again = new LocalSandbox({ isolation: 'bubblewrap', readable: [readable] })
    onTestFinished(() => again.stop())
    await again.start()
    expect(await starts()).toBe(before + 2)
    expect(sandbox.id).toBeDefined()
  })

  it('that does not work is tested each time', async () => {
    await writeFile(program, script('exit 1'), { mode: 0o755 })
    for (const count of [1, 2]) {
      await expect(started()).rejects.toMatchObject({ code: 'ISOLATION_UNAVAILABLE' })
      // As root, it is tried with and without another user.
      expect(await starts()).toBe(process.getuid?.() === 0 ? 2 * count : count)
    }
  })
})

it('what was tested more than 30 days ago is forgotten', async () => {
  const test = new TestedBefore({ test: randomUUID() })
  const path = (name: string) => join(userInfo().homedir, '.cache/fenced/tested', name)
  const [old, recent] = [path(randomUUID()), path(randomUUID())]
  const nowSeconds = performance.timeOrigin / 1_000
  for (const [file, days] of [
    [old, 31],
    [recent, 29],
  ] as const) {
    await writeFile(file, '')
    await utimes(file, nowSeconds, nowSeconds - days * 86_400)
  }
  expect(test.hasPassed).toBe(false)
  test.remember()
  expect([test.hasPassed, existsSync(old), existsSync(recent)]).toEqual([true, false, true])
  await rm(recent)
})

it('all tests are repeated after one of them turned out to be wrong', () => {
  const [test, other] = [new TestedBefore({ test: randomUUID() }), new TestedBefore({ test: randomUUID() })]
  test.remember()
  other.remember()
  test.forget()
  expect([test.hasPassed, other.hasPassed]).toEqual([false, false])
})

it.skipIf(unprivilegedUser.missing)('the test also depends on the programs that change the user', () => {
  const user = UnprivilegedUser.find()
  if (typeof user === 'string') expect.fail(user)
  const programs = [expect.stringMatching(/^\/.*python/), expect.stringMatching(/^\/.*setpriv$/)]
  expect(user.programs).toEqual(programs)
})
