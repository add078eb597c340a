import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { SandboxBackend, SandboxProcess } from '@fenced/core/sandbox'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SupervisedSandbox } from '../../src/index.ts'
import { type LocalSandboxOptions, localSandbox } from '../local-sandbox.ts'

/** A started sandbox that ends with its test. */
async function started(options: LocalSandboxOptions = {}) {
  const made = localSandbox(options)
  onTestFinished(() => made.sandbox.stop())
  await made.sandbox.start()
  return made
}

function sleeper(sandbox: Pick<SupervisedSandbox, 'spawn'>, seconds: number): Promise<SandboxProcess> {
  return sandbox.spawn(['/bin/sh', '-c', `echo ready; exec sleep ${seconds}`])
}

async function output(process: SandboxProcess): Promise<string> {
  let words = ''
  process.stdout.on('data', (chunk) => {
    words += chunk
  })
  await process.ended
  return words
}

describe('the start of a supervised sandbox', () => {
  it('runs its `initCommand` first, in the working directory', async () => {
    const { sandbox } = await started({ change: () => ({ initCommand: 'echo made > first' }) })
    expect(await output(await sandbox.spawn(['cat', 'first']))).toBe('made\n')
  })

  it('fails with the last words of an `initCommand` that fails, and leaves nothing', async () => {
    const { sandbox, launches } = localSandbox({
      change: () => ({ initCommand: 'head -c 3000000 /dev/zero; echo the last words; exit 3' }),
    })
    await expect(sandbox.start()).rejects.toMatchObject({
      code: 'INIT_COMMAND_FAILED',
      data: { exitCode: '3', output: expect.stringMatching(/the last words$/) },
    })
    expect(await launches[0]?.backend.state()).toBe('ended')
    expect(sandbox.id).toBeUndefined()
    await sandbox.stop()
  })

  it('refuses a sandbox whose shell says something else, and discards it', async () => {
    const discard = vi.fn(async () => {})
    const { sandbox, launches } = localSandbox({
      change: ({ backend }) => ({ discard, backend: saying(backend, 'Welcome!') }),
    })
    await expect(sandbox.start()).rejects.toMatchObject({
      code: 'CONTAINER_UNUSABLE',
      data: { output: expect.stringContaining('Welcome!') },
    })
    expect(discard).toHaveBeenCalledOnce()
    await launches[0]?.backend.remove()
    await sandbox.stop()
  })

  it('is the reason of its signal where that comes first', async () => {
    const reason = new Error('not wanted')
    const controller = new AbortController()
    const { sandbox, launches } = localSandbox({
      change: () => {
        controller.abort(reason)
        return {}
      },
    })
    await assert.rejects(sandbox.start({ signal: controller.signal }), reason)
    await expect.poll(() => launches[0]?.backend.state()).toBe('ended')
    await sandbox.stop()
  })
})

describe('a supervised sandbox', () => {
  it('has the id of its launch, and is refused before its start and after its stop', async () => {
    const { sandbox, launches, hostPath } = localSandbox()
    const gone = { code: 'SANDBOX_GONE' }
    await assert.rejects(sandbox.which(['sh']), gone)
    await sandbox.start()
    expect(sandbox.id).toBe(launches[0]?.id)
    expect(sandbox.shared?.hostPath).toBe(hostPath)
    await sandbox.stop()
    await assert.rejects(sandbox.spawn(['true']), gone)
    await assert.rejects(sandbox.connect(80), gone)
    expect(await launches[0]?.backend.state()).toBe('ended')
    expect(existsSync(hostPath)).toBe(false)
  })

  it('finds the programs of its option with the first look, and others later', async () => {
    const { sandbox } = await started({ programs: ['sh', 'no-such-program'] })
    expect([...(await sandbox.which(['sh', 'no-such-program']))]).toEqual([
      ['sh', expect.stringMatching(/^\//)],
    ])
    expect([...(await sandbox.which(['cat', 'sh'])).keys()]).toEqual(['cat', 'sh'])
  })

  it('is not used again once its backend says that it is gone', async () => {
    const { sandbox, launches } = await started()
    await launches[0]?.backend.remove()
    await assert.rejects(sandbox.spawn(['true']), { code: 'SANDBOX_GONE' })
    expect(sandbox.id).toBeUndefined()
    await sandbox.start()
    expect(launches).toHaveLength(2)
    expect(await output(await sandbox.spawn(['echo', 'again']))).toBe('again\n')
  })

  it('that goes away under a process is how the process ended', async () => {
    const { sandbox, launches } = await started()
    const process = await sleeper(sandbox, uniqueSeconds())
    await once(process.stdout, 'data')
    await launches[0]?.backend.remove()
    expect(await process.ended).toMatchObject({ kind: 'lost', what: 'sandbox' })
  })

  it('whose connection is cut under a process ends the process as lost, and stays', async () => {
    const connections: { destroy(): void }[] = []
    const { sandbox } = await started({
      change: ({ backend }) => ({ backend: noting(backend, connections) }),
    })
    const seconds = uniqueSeconds()
    const process = await sleeper(sandbox, seconds)
    await once(process.stdout, 'data')
    connections.at(-1)?.destroy()
    expect(await process.ended).toMatchObject({ kind: 'lost', what: 'connection' })
    // The end of its stdin is SIGKILL.
    await expect.poll(() => processesLeft(`${seconds}`)).toEqual([])
    expect(await output(await sandbox.spawn(['echo', 'here']))).toBe('here\n')
  })

  it('that outlives its stop is left as it is, without its processes', async () => {
    const { sandbox, launches } = await started({ change: () => ({ outlivesStop: true }) })
    const seconds = uniqueSeconds()
    const process = await sleeper(sandbox, seconds)
    await once(process.stdout, 'data')
    await sandbox.stop()
    expect(await launches[0]?.backend.state()).toBe('running')
    expect(await process.ended).toMatchObject({ kind: 'exited', wasStopped: true })
    expect(await processesLeft(`${seconds}`)).toEqual([])
    await launches[0]?.backend.remove()
  })

  it('refuses `resume` where nothing can be resumed, and passes it on elsewhere', async () => {
    await assert.rejects(localSandbox().sandbox.start({ resume: 'id' }), { code: 'NOT_RESUMABLE' })
    const contexts: unknown[] = []
    const { sandbox: resumable } = localSandbox({
      resumable: true,
      launch: async ({ detached, resume }) => {
        contexts.push({ detached, resume })
        throw new Error('enough')
      },
    })
    const detached = { expiresInMs: 60_000 }
    await assert.rejects(resumable.start({ detached, resume: 'id' }), /enough/)
    // The one that takes the place of a lost sandbox is detached as well.
    await assert.rejects(resumable.start(), /enough/)
    expect(contexts).toEqual([
      { detached, resume: 'id' },
      { detached, resume: undefined },
    ])
    await resumable.stop()
  })

  it('uses a detached sandbox before it expires, whose processes survive their connection', async () => {
    const connections: { destroy(): void }[] = []
    const { sandbox, launches } = localSandbox({
      resumable: true,
      change: ({ backend }) => ({ backend: noting(backend, connections) }),
    })
    onTestFinished(() => sandbox.stop())
    await sandbox.start({ detached: { expiresInMs: 200 } })
    const before = connections.length
    await expect.poll(() => connections.length).toBeGreaterThan(before + 2)
    const process = await sandbox.spawn(['/bin/sh', '-c', 'echo $$; exec sleep 60'])
    const [id] = await once(process.stdout, 'data')
    for (const connection of connections) connection.destroy()
    expect(await process.ended).toMatchObject({ kind: 'lost', what: 'connection' })
    const look = await sandbox.spawn(['/bin/sh', '-c', `kill ${id}`])
    expect(await look.ended).toMatchObject({ kind: 'exited', exitCode: 0 })
    expect(launches).toHaveLength(1)
  })

  it('signals a process with an open stdin through another process', async () => {
    const { sandbox } = await started()
    const trap = 'trap "echo heard; exit 7" INT; echo ready; while :; do sleep 0.02; done'
    const process = await sandbox.spawn(['/bin/sh', '-c', trap], { stdin: 'open' })
    const words: string[] = []
    process.stdout.setEncoding('utf8').on('data', (word) => words.push(word))
    await once(process.stdout, 'data')
    await process.signal('SIGINT')
    expect(await process.ended).toEqual({ kind: 'exited', exitCode: 7, wasStopped: true })
    expect(words.join('')).toBe('ready\nheard\n')
  })
})

/** A backend whose commands write these words only. */
function saying(backend: SandboxBackend, words: string): SandboxBackend {
  return changed(backend, async (_, options) => {
    const process = await backend.exec(['printf', `${words}\r\n`], options)
    // Its output may end before its exit code is known.
    process.poll = async () => 0
    return process
  })
}

/** A backend that notes its connections. */
function noting(backend: SandboxBackend, connections: { destroy(): void }[]): SandboxBackend {
  return changed(backend, async (command, options) => {
    const process = await backend.exec(command, options)
    connections.push(process)
    return process
  })
}

function changed(backend: SandboxBackend, exec: SandboxBackend['exec']): SandboxBackend {
  return new Proxy(backend, {
    get(target, key) {
      if (key === 'exec') return exec
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
