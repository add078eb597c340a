import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'
import Docker from 'dockerode'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { inOwnRealm } from '../../../testing/own-realm.ts'
import { pythonImage as baseImage, docker } from './docker.ts'

/** Building our image downloads what it is made of; once built it is found again. */
const buildTimeout = 600_000

describe.skipIf(docker.missing)('a server in a container whose cell stops every process that it can', () => {
  const engine = new Docker()

  beforeAll(async () => {
    await using server = new DockerJupyterServer({ baseImage })
    await server.connect()
  }, buildTimeout)

  async function containersOf(processId: number | undefined) {
    return engine.listContainers({ all: true, filters: { label: [`fenced.owner.process-id=${processId}`] } })
  }

  async function killHost(network: string) {
    const program = join(import.meta.dirname, 'programs', 'stop-the-server.ts')
    // Otherwise the next start of another test may remove the container.
    const args = ['--conditions=@fenced/source', ...inOwnRealm, program, network]
    const host = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    await once(host.stdout, 'data')
    const [{ Id = '' } = {}] = await containersOf(host.pid)
    const container = engine.getContainer(Id)
    onTestFinished(() => container.remove({ force: true }).catch(() => {}))
    const isStopped = async () => {
      const { Processes } = await container.top({ ps_args: '-o pid,stat,args' })
      return Processes.some(
        ([, state = '', program = '']) => state.startsWith('T') && program.includes('jupyter'),
      )
    }
    while (!(await isStopped())) await delay(50)
    host.kill('SIGKILL')
    expect(await once(host, 'exit')).toEqual([null, 'SIGKILL'])
    while ((await containersOf(host.pid)).length > 0) await delay(50)
  }

  test('goes with a host that was killed', () => killHost('bridge'))

  test('goes with a host that was killed, also without a network', () => killHost('none'))

  test('ends itself at maxLifetimeMs', async () => {
    const server = new DockerJupyterServer({ baseImage, maxLifetimeMs: 20_000 })
    onTestFinished(() => server.stop())
    await server.connect()
    const [first] = await containersOf(process.pid)
    while ((await containersOf(process.pid)).length > 0) await delay(50)
    await server.connect()
    expect(await containersOf(process.pid)).not.toEqual([first])
  })
})
