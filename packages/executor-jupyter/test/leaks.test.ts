// @module-tag all

import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import {
  processesLeft,
  Random,
  rowTags,
  temporaryEntries,
  temporaryParentName,
  uniqueSeconds,
} from '@fenced/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { startProgram } from './faults/host-program.ts'
import { processesWith, threadsOf } from './faults/processes.ts'
import { rounds } from './rounds.ts'
import { directExecutor, jupyter, jupyterPython, run } from './support.ts'

/** Everything temporary is in it, and every process has its name in its environment. */
let folder: string
const before = process.env.TMPDIR
const warnings: Error[] = []
const rejections: unknown[] = []
const onWarning = (warning: Error) => void warnings.push(warning)
const onRejection = (reason: unknown) => void rejections.push(reason)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  process.env.TMPDIR = folder
  process.on('warning', onWarning)
  process.on('unhandledRejection', onRejection)
})

afterEach(() => {
  process.off('warning', onWarning)
  process.off('unhandledRejection', onRejection)
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  rmSync(folder, { recursive: true, force: true })
  expect([warnings.splice(0), rejections.splice(0)]).toEqual([[], []])
})

/** What keeps a process, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Waits until there are not more of them than before, and says which are. */
async function resourcesMoreThan(old: Record<string, number>): Promise<string[]> {
  const more = () => Object.entries(resources()).filter(([kind, count]) => count > (old[kind] ?? 0))
  for (let round = 0; round < 600 && more().length > 0; round++) await sleep(50)
  return more().map(([kind, count]) => `${kind}: ${old[kind] ?? 0} -> ${count}`)
}

/** @param waiting - how many processes may wait for the next kernel. */
async function expectNothingLeft(waiting = 0): Promise<void> {
  const left = () => processesWith('environ', folder)
  // A kernel has threads.
  const areWaiting = () => left().length <= waiting && left().every((id) => threadsOf(id) === 1)
  for (let round = 0; round < 600 && !areWaiting(); round++) await sleep(50)
  expect(areWaiting() ? [] : left()).toEqual([])
  const directories = temporaryEntries(folder).filter((name) => !name.endsWith('.owner'))
  const files = directories.map((name) => readdirSync(join(folder, temporaryParentName, name)))
  // A Python that waits imports a file of this process, which goes with the process.
  expect(files).toEqual(waiting > 0 && files.length > 0 ? [['own_kernel.py']] : [])
}

describe.skipIf(jupyter.missing).each([
  // A Python that is shared, and its fork for the next kernel, with one for what that will run.
  { name: 'a kernel of our own', warm: true, waiting: 3 },
  { name: 'a kernel of our own that is not forked', warm: false, waiting: 0 },
])('$name', { ...rowTags({ nightly: ['that is not forked'] }), timeout: 180_000 }, ({ warm, waiting }) => {
  test('started, used and stopped again and again leaves nothing', async () => {
    const round = async () => {
      await using executor = directExecutor({ warm })
      expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
    }
    // The first one loads what is loaded once.
    await round()
    const old = resources()
    for (let count = 0; count < 2 * rounds; count++) await round()
    expect(await resourcesMoreThan(old)).toEqual([])
    await expectNothingLeft(waiting)
  })

  test('stopped at any moment of its start or of a cell leaves nothing, and no error that nobody hears', async () => {
    await stopAtAnyMoment(() => directExecutor({ warm }), 900)
    await expectNothingLeft(waiting)
  })

  test('whose start is aborted at any moment leaves nothing', async () => {
    await abortAtAnyMoment(() => directExecutor({ warm }), 600)
    await expectNothingLeft(waiting)
  })
})

const isIsolatedMissing = jupyter.missing || bubblewrap.missing
describe.skipIf(isIsolatedMissing)('a kernel of our own in bubblewrap', { timeout: 180_000 }, () => {
  test('stopped or aborted at any moment leaves nothing', async () => {
    await stopAtAnyMoment(() => isolatedExecutor(), 900)
    await abortAtAnyMoment(() => isolatedExecutor(), 600)
    await expectNothingLeft()
  })
})

describe.skipIf(jupyter.missing)('a kernel of a server', { tags: 'nightly', timeout: 240_000 }, () => {
  test('started, used and stopped again and again, and the server, leave nothing', async () => {
    const round = async (server: LocalJupyterServer) => {
      await using executor = new JupyterCodeExecutor({ server })
      expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
    }
    const old = resources()
    const server = new LocalJupyterServer({ python: jupyterPython })
    for (let count = 0; count < 2 * rounds; count++) await round(server)
    await server.stop()
    expect(await resourcesMoreThan(old)).toEqual([])
    await expectNothingLeft()
  })

  describe('stopped or aborted', () => {
    let server: LocalJupyterServer
    beforeAll(async () => {
      server = new LocalJupyterServer({ python: jupyterPython })
      await server.connect()
    })
    afterAll(() => server.stop())

    const kernelCount = async () => {
      const { host, port, token } = await server.connect()
      const headers = { authorization: `token ${token}` }
      const answer = await fetch(`http://${host}:${port}/api/kernels`, { headers })
      return ((await answer.json()) as unknown[]).length
    }

    test('at any moment of its start or of a cell leaves nothing, and no error that nobody hears', async () => {
      await stopAtAnyMoment(() => new JupyterCodeExecutor({ server }), 1_500)
      await expect.poll(kernelCount).toBe(0)
      expect(temporaryEntries(folder)).toEqual([])
    })

    test('while it starts, at any moment, leaves no kernel on the server', async () => {
      await abortAtAnyMoment(() => new JupyterCodeExecutor({ server }), 700)
      // A server that is busy starts a kernel late; it is ended then.
      await expect.poll(kernelCount).toBe(0)
      expect(temporaryEntries(folder)).toEqual([])
    })
  })
})

describe.skipIf(jupyter.missing)('a program that uses the library', { timeout: 180_000 }, () => {
  test.for(['direct', 'server'] as const)(
    'ends by itself, and nothing is written but what it writes: %s',
    rowTags({ nightly: ['server'] }),
    async (way) => {
      const { written, exited } = startProgram('use-and-end.ts', way, { folder })
      expect(await exited).toEqual([0, null])
      expect(written).toEqual({ stdout: '42\ntimeout\n', stderr: '' })
      await expectNothingLeft()
    },
  )

  test.for(['direct', 'server'] as const)('ends although it forgets to stop: %s', async (way) => {
    const { written, exited } = startProgram('forget.ts', way, { folder })
    expect(await exited).toEqual([0, null])
    expect(written).toEqual({ stdout: '42\n', stderr: '' })
    await expectNothingLeft()
  })

  test.for(['direct', 'server'] as const)(
    'takes everything along when it is killed while a cell runs: %s',
    rowTags({ nightly: ['server'] }),
    async (way) => {
      const seconds = uniqueSeconds()
      const { child } = startProgram('run-and-wait.ts', way, { folder, more: [`${seconds}`] })
      await once(child.stdout ?? child, 'data')
      child.kill('SIGKILL')
      expect(await processesLeft(`${seconds}`)).toEqual([])
      if (way === 'direct') {
        // The kernel takes the folder with its key along; what the host made goes with the next host's start.
        const keys = () =>
          readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'))
        await expect.poll(keys, { timeout: 20_000 }).toEqual([])
      }
      const next = startProgram('use-and-end.ts', way, { folder })
      expect(await next.exited).toEqual([0, null])
      await expectNothingLeft()
    },
  )
})

async function stopAtAnyMoment(create: () => JupyterCodeExecutor, longestMs: number): Promise<void> {
  await atAnyMoment({ seed: 18, count: 6 * rounds, longestMs }, async (delayMs) => {
    const executor = create()
    const execution = run(
      executor,
      'import time',
      'for n in range(1000):',
      '    print(n)',
      '    time.sleep(0.01)',
    )
    const ended = execution.then(
      ({ status }) => status,
      (error: unknown) => (FencedError.isInstance(error) ? error.code : error),
    )
    await sleep(delayMs)
    await executor.stop()
    expect(['cancelled', 'EXECUTOR_STOPPED']).toContain(await ended)
  })
}

async function abortAtAnyMoment(create: () => JupyterCodeExecutor, longestMs: number): Promise<void> {
  await atAnyMoment({ seed: 4, count: 3 * rounds, longestMs }, async (delayMs) => {
    const controller = new AbortController()
    const executor = create()
    const started = executor.start({ signal: controller.signal }).then(
      () => 'started',
      (error: unknown) => (error === controller.signal.reason ? 'aborted' : error),
    )
    await sleep(delayMs)
    controller.abort(new Error('no more'))
    expect(['started', 'aborted']).toContain(await started)
    await executor.stop()
  })
}

/** Three at a time; each moment of as many equal parts of the time is a random one in its part. */
async function atAnyMoment(
  { seed, count, longestMs }: { seed: number; count: number; longestMs: number },
  attempt: (delayMs: number) => Promise<void>,
): Promise<void> {
  const random = new Random(seed)
  const delays = Array.from({ length: count }, (_, part) =>
    Math.round((longestMs * (part + random.whole(0, 100) / 100)) / count),
  )
  const attempts = async () => {
    for (let delayMs = delays.shift(); delayMs !== undefined; delayMs = delays.shift()) await attempt(delayMs)
  }
  await Promise.all([attempts(), attempts(), attempts()])
}
