// @module-tag all

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAddress, type SshAddress } from '../../src/engine/address.ts'
import { connectEngine } from '../../src/engine/connect-engine.ts'
import { engineError } from '../../src/engine/engine-error.ts'
import { sshArguments } from '../../src/engine/ssh.ts'
import { dockerCli, dockerEngine, dockerHost, image, sshServer, testImage } from './requirements.fixture.ts'
import { pathWithSsh, startSshServer } from './ssh-server.fixture.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

const socket = dockerHost.replace('unix://', '')

describe('what ssh is asked for', () => {
  it.each([
    ['ssh://example.org', '-o ConnectTimeout=30 -T -- example.org docker system dial-stdio'],
    [
      'ssh://me@example.org:22',
      '-o ConnectTimeout=30 -T -l me -p 22 -- example.org docker system dial-stdio',
    ],
    ['ssh://a/run/d.sock', '-o ConnectTimeout=30 -T -- a docker --host=unix:///run/d.sock system dial-stdio'],
    ['ssh://a/x;reboot', "-o ConnectTimeout=30 -T -- a docker '--host=unix:///x;reboot' system dial-stdio"],
  ])('%s', (address, expected) => {
    expect(sshArguments(parseAddress(address) as SshAddress).join(' ')).toBe(expected)
  })
})

describe.skipIf(sshServer.missing || dockerCli.missing || dockerEngine.missing)(
  'an engine behind ssh',
  () => {
    it('is connected to', async () => {
      const { address, environment } = await startSshServer()
      const { docker, endpoint, close } = await connectEngine(`${address}${socket}`, { environment })
      expect(endpoint.isLocal).toBe(false)
      expect(await docker.version()).toHaveProperty('ApiVersion')
      close()
    })

    it.skipIf(testImage.missing)('runs an exec with stdin, that ends where stdin ends', async () => {
      const { engine, container } = await withContainer()
      const exec = await container.exec({
        Cmd: ['sh', '-c', 'wc -c; exit 7'],
        AttachStdin: true,
        AttachStdout: true,
      })
      const stream = await exec.start({ hijack: true, stdin: true })
      stream.end('x'.repeat(1_000_000))
      expect(await text(stream)).toContain('1000000')
      expect((await exec.inspect()).ExitCode).toBe(7)
      engine.close()
    })

    it.skipIf(testImage.missing)('is lost with the words of ssh when the connection breaks', async () => {
      const { engine, container, dropConnections } = await withContainer()
      const exec = await container.exec({ Cmd: ['cat'], AttachStdin: true, AttachStdout: true })
      const stream = await exec.start({ hijack: true, stdin: true })
      dropConnections()
      const error = await text(stream).catch((reason) => reason)
      expect(engineError(error, 'running a block', engine.endpoint)).toMatchObject({
        code: 'ENGINE_LOST',
        data: { exitCode: '255', output: expect.stringContaining('closed by remote host') },
      })
      engine.close()
    })

    it('is asked again over the same connection', async () => {
      const { address, environment } = await startSshServer()
      const { docker, close } = await connectEngine(`${address}${socket}`, { environment })
      const before = sshProcesses(address)
      await docker.version()
      await docker.version()
      expect(sshProcesses(address)).toEqual(before)
      close()
    })

    it('holds up nobody who is done', { timeout: 20_000 }, async () => {
      const { address, environment } = await startSshServer()
      const program = `import { connectEngine } from ${JSON.stringify(join(import.meta.dirname, '../../src/engine/connect-engine.ts'))}
      await connectEngine(${JSON.stringify(`${address}${socket}`)})`
      const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', program]
      await promisify(execFile)(process.execPath, args, { env: environment })
      await untilGone(address)
    })

    it('is logged in to by many engines at once, as often as its sshd allows', async () => {
      const { address, environment } = await startSshServer()
      const engines = await Promise.all(
        Array.from({ length: 20 }, () => connectEngine(`${address}${socket}`, { environment })),
      )
      for (const { close } of engines) close()
      await untilGone(address)
    })

    it('leaves no process', async () => {
      const { address, environment } = await startSshServer()
      const engine = await connectEngine(`${address}${socket}`, { environment })
      await Promise.all([engine.docker.version(), engine.docker.info()])
      expect(sshProcesses(address)).not.toEqual([])
      engine.close()
      await untilGone(address)
    })

    it('that nobody knows is not trusted', async () => {
      const { address, environment, forgetHostKey } = await startSshServer()
      forgetHostKey()
      const refused = connectEngine(`${address}${socket}`, { environment })
      await expect(refused).rejects.toMatchObject({
        code: 'ENGINE_UNREACHABLE',
        data: { exitCode: '255', output: expect.stringContaining('Host key verification failed') },
      })
    })

    it('that is not there is an error in the words of docker over there', async () => {
      const { address, environment } = await startSshServer()
      await expect(connectEngine(`${address}/nowhere.sock`, { environment })).rejects.toMatchObject({
        data: { program: 'ssh', output: expect.stringContaining('/nowhere.sock') },
      })
    })
  },
)

describe('ssh that fails', () => {
  it('is an error in its own words', async () => {
    const environment = { PATH: pathWithSsh('echo "me@a: Permission denied (publickey)." >&2; exit 255') }
    await expect(connectEngine('ssh://me@a', { environment })).rejects.toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      data: {
        engine: 'ssh://me@a',
        fault: 'ssh',
        exitCode: '255',
        output: 'me@a: Permission denied (publickey)',
        command: 'ssh me@a docker version',
      },
    })
  })

  it('is not on the PATH', async () => {
    await expect(
      connectEngine('ssh://a', { environment: { PATH: temporaryFolder() } }),
    ).rejects.toMatchObject({
      data: { fault: 'ssh', program: 'ssh', reason: 'ENOENT' },
    })
  })

  it('ends without a word', async () => {
    await expect(
      connectEngine('ssh://a', { environment: { PATH: pathWithSsh('exit 0') } }),
    ).rejects.toMatchObject({
      data: { fault: 'closed' },
    })
  })

  it('never answers, and does not outlive the attempt', async () => {
    const seen = join(temporaryFolder(), 'pid')
    const environment = { PATH: pathWithSsh(`echo $$ > ${seen}; exec sleep 1000`) }
    await expect(connectEngine('ssh://a', { environment, timeoutMs: 500 })).rejects.toMatchObject({
      data: { fault: 'silent', limitMs: '500' },
    })
    await until(() => existsSync(seen) && !isAlive(Number(readFileSync(seen, 'utf8'))))
  })

  it('and ignores SIGTERM is killed with what it started', async () => {
    const seen = join(temporaryFolder(), 'pid')
    const script = `trap '' TERM; sleep 1000 & echo $! > ${seen}; while :; do sleep 1; done`
    const environment = { PATH: pathWithSsh(script) }
    await expect(connectEngine('ssh://a', { environment, timeoutMs: 500 })).rejects.toMatchObject({
      data: { fault: 'silent', limitMs: '500' },
    })
    await until(() => existsSync(seen) && !isAlive(Number(readFileSync(seen, 'utf8'))))
  })
})

/** A container of the engine behind ssh, until the test has finished. */
async function withContainer() {
  const { address, environment, dropConnections } = await startSshServer()
  const engine = await connectEngine(`${address}${socket}`, { environment })
  const near = await connectEngine(dockerHost)
  const container = await engine.docker.createContainer({
    Image: image,
    Cmd: ['sleep', '60'],
    HostConfig: { NetworkMode: 'none' },
  })
  onTestFinished(() => near.docker.getContainer(container.id).remove({ force: true }))
  await container.start()
  return { engine, container, dropConnections }
}

/** The clients of one server: its port is in their arguments. */
function sshProcesses(address: string): number[] {
  const port = new URL(address).port
  // Podman keeps a process with a long command line for each exec, for minutes: that is more than Node's one megabyte.
  return execFileSync('ps', ['-eo', 'pid=,args='], { maxBuffer: 2 ** 26 })
    .toString()
    .split('\n')
    .filter((line) => line.includes(`-p ${port} --`))
    .map((line) => Number.parseInt(line, 10))
}

function untilGone(address: string): Promise<void> {
  return until(() => sshProcesses(address).length === 0)
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(50)
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
