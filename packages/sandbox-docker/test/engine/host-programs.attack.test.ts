import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { declareWritable } from '@fenced/host'
import { describe, expect, it } from 'vitest'
import { SshConnection } from '../../src/engine/ssh.ts'
import { runBuildCommand } from '../../src/image/build/build-command.ts'
import { Logins } from '../../src/image/registry/logins.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

const context = { signal: new AbortController().signal, notice: () => {} }

/** A PATH that begins with the working directory of a container, in which its code has left a program, before the real one. */
function planted(name: string) {
  const [mounted, system] = [temporaryFolder({}), temporaryFolder({})]
  declareWritable(mounted)
  for (const [folder, script] of [
    [mounted, `echo > ${mounted}/was-run; exit 1`],
    [system, 'echo the real one >&2; exit 7'],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const environment = { PATH: [mounted, system, '/usr/bin', '/bin'].join(delimiter) }
  return { environment, wasRun: () => existsSync(join(mounted, 'was-run')) }
}

describe.skipIf(process.platform === 'win32')('a program that code of a container left on the PATH', () => {
  it('is not the ssh by which an engine is reached', async () => {
    const { environment, wasRun } = planted('ssh')
    const connection = new SshConnection(['example.org'], environment)
    const [error] = await once(connection, 'error')
    expect(wasRun()).toBe(false)
    expect(error.data).toEqual({ program: 'ssh', exitCode: '7', output: 'the real one' })
  })

  it('is not the docker that builds an image', async () => {
    const { environment, wasRun } = planted('docker')
    const command = { address: 'unix:///nowhere', environment, arguments: ['.'] }
    const exitCode = await runBuildCommand(command, { signal: context.signal, write: () => {} })
    expect(wasRun()).toBe(false)
    expect(exitCode).toBe(7)
  })

  it('is not the helper that keeps the passwords of registries', async () => {
    const { environment, wasRun } = planted('docker-credential-kept')
    const DOCKER_CONFIG = temporaryFolder({ 'config.json': JSON.stringify({ credsStore: 'kept' }) })
    const host = { environment: { ...environment, DOCKER_CONFIG }, home: '/nowhere' }
    const { problem } = await new Logins(host, context).find('registry.example.com')
    expect(wasRun()).toBe(false)
    expect(problem).toContain('failed with exit code 7')
  })
})
