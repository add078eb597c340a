import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackendProcess, SandboxBackend } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore The contract suites are tested with this backend; no package exports it.
import { LocalBackend } from '../../contract/test/local-backend.fixture.ts'
import type { OpenExec } from '../src/exec/exec-target.ts'
import { ExecPool } from '../src/supervise/exec-pool.ts'

const signal = new AbortController().signal
/** Prints each line that it reads. */
const command = ['/bin/sh', '-c', 'while read -r line; do echo "$line"; done'] as const

describe('ExecPool', () => {
  let backend: SandboxBackend
  /** Processes that the backend started. */
  const started: BackendProcess[] = []
  /** How many chunks of output have arrived. */
  let heard = 0
  beforeAll(async () => {
    const local = new LocalBackend(await mkdtemp(join(tmpdir(), 'fenced-pool-')))
    backend = Object.assign(Object.create(local), {
      exec: async (...given: Parameters<SandboxBackend['exec']>) => {
        const process = await local.exec(...given)
        const { read } = process
        process.read = (sink) =>
          read.call(process, (stream, chunk) => {
            heard++
            return sink(stream, chunk)
          })
        started.push(process)
        return process
      },
      remove: () => local.remove(),
    })
  })
  afterAll(() => backend.remove())

  function pool(maxRestMs = Infinity): ExecPool {
    started.length = 0
    heard = 0
    return new ExecPool({ backend, user: undefined, directory: '/' }, command, maxRestMs)
  }

  it('gives the process that it prepared, once', async () => {
    const execs = pool()
    execs.prepare()
    execs.prepare()
    const [one, two] = [await execs.take(signal), await execs.take(signal)]
    expect(started).toHaveLength(2)
    expect(one.runId).not.toBe(two.runId)
    for (const exec of [one, two]) expect(await said(exec)).toBe('here\n')
  })

  it('replaces a process that rested too long', async () => {
    const execs = pool(1)
    execs.prepare()
    // It is let go of, which ends it.
    await expect.poll(() => started[0]?.poll()).toBe(0)
    expect(await said(await execs.take(signal))).toBe('here\n')
    expect(started).toHaveLength(2)
  })

  it('replaces a process that rested too long while this one was busy', async () => {
    const execs = pool(100)
    execs.prepare()
    await expect.poll(() => started, { interval: 1 }).toHaveLength(1)
    const until = performance.now() + 110
    while (performance.now() < until);
    expect(await said(await execs.take(signal))).toBe('here\n')
    expect(started).toHaveLength(2)
  })

  it('opens none ahead where a connection may not rest', async () => {
    const execs = pool(0)
    execs.prepare()
    expect(await said(await execs.take(signal))).toBe('here\n')
    expect(started).toHaveLength(1)
  })

  it('replaces a process that ended while it waited', async () => {
    const execs = pool()
    execs.prepare()
    await expect.poll(() => started).toHaveLength(1)
    started[0]?.stdin?.end()
    await expect.poll(() => started[0]?.poll()).toBe(0)
    expect(await said(await execs.take(signal))).toBe('here\n')
    expect(started).toHaveLength(2)
  })

  it('replaces a process that wrote something while it waited', async () => {
    const execs = pool()
    execs.prepare()
    await expect.poll(() => started).toHaveLength(1)
    started[0]?.stdin?.write('too early\n')
    await expect.poll(() => heard).toBe(1)
    expect(await said(await execs.take(signal))).toBe('here\n')
    expect(started).toHaveLength(2)
  })

  it('stops waiting when it is aborted', async () => {
    const execs = pool()
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    execs.prepare()
    const taken = execs.take(controller.signal)
    controller.abort(reason)
    await expect(taken).rejects.toThrow(reason)
    await expect(execs.take(controller.signal)).rejects.toThrow(reason)
    expect(await said(await execs.take(signal))).toBe('here\n')
  })

  it('ends the process that waits when it is closed', async () => {
    const execs = pool()
    execs.prepare()
    await execs.close()
    await expect.poll(() => started[0]?.poll()).toBe(0)
  })
})

async function said({ process }: OpenExec): Promise<string> {
  process.stdin?.end('here\n')
  let output = ''
  await process.read((_, chunk) => {
    output += Buffer.from(chunk).toString()
  })
  process.destroy()
  return output
}
