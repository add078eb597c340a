import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore The contract suites are tested with this backend; no package exports it.
import { LocalBackend } from '../../../contract/test/local-backend.fixture.ts'
import { runCommand } from '../../src/exec/run-command.ts'

const { signal } = new AbortController()

describe('a command of our own', () => {
  let backend: SandboxBackend
  beforeAll(async () => {
    backend = new LocalBackend(await mkdtemp(join(tmpdir(), 'fenced-command-')))
  })
  afterAll(() => backend.remove())

  const run = (script: string, options: Partial<Parameters<typeof runCommand>[1]> = {}) =>
    runCommand(
      { backend, user: undefined, directory: '/', variables: { GIVEN: 'a variable' } },
      { command: ['/bin/sh', '-c', script], signal, ...options },
    )

  it('tells its exit code, and what both streams said', async () => {
    expect(await run('pwd; echo "$GIVEN"; echo error >&2; exit 3')).toEqual({
      exitCode: 3,
      output: expect.stringMatching(/^\/\na variable\n(?:error\n)?/),
    })
  })

  it('is refused when it writes too much, or keeps its end where that is wanted', async () => {
    const script = 'head -c 100000 /dev/zero; printf end'
    await assert.rejects(run(script, { maxOutputBytes: 1_000 }), { code: 'CONTAINER_UNUSABLE' })
    const { output } = await run(script, { maxOutputBytes: 1_000, excess: 'keep-end' })
    expect(output).toBe(`${'\0'.repeat(997)}end`)
  })

  it('is ended by a service that it leaves behind only for a while', async () => {
    const { output } = await run('echo started; sleep 30 &')
    expect(output).toBe('started\n')
  })

  it('is an error where its end does not arrive', async () => {
    await assert.rejects(run('kill -9 $PPID'), { code: 'ENGINE_LOST', data: { backend: 'this machine' } })
  })

  it('is an error with its words where something before it failed', async () => {
    const refusing: SandboxBackend = {
      exec: (_, options) =>
        backend.exec(['/bin/sh', '-c', 'echo setpriv: unknown user 0:0 >&2; exit 1'], options),
      state: () => backend.state(),
      remove: () => backend.remove(),
    }
    const running = runCommand(
      { backend: refusing, user: '0:0', directory: '/' },
      { command: ['true'], signal },
    )
    await assert.rejects(running, {
      code: 'ENGINE_LOST',
      data: { backend: 'the sandbox', output: 'setpriv: unknown user 0:0' },
    })
  })

  it('rejects with the reason of its signal', async () => {
    const reason = new Error('not wanted')
    const controller = new AbortController()
    const running = run('sleep 30', { signal: controller.signal })
    setImmediate(() => controller.abort(reason))
    await assert.rejects(running, reason)
  })
})
