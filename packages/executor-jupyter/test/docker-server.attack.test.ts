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

  async function containerOn(port: number | undefined) {
    const all = await engine.listContainers()
    return all.find(({ Ports }) => Ports.some(({ PublicPort }) => PublicPort === port))
  }

  test('goes with a host that was killed', async () => {
    const program = join(import.meta.dirname, 'programs', 'stop-the-server.ts')
    // Otherwise the next start of another test may remove the container.
    const args = ['--conditions=@fenced/source', ...inOwnRealm, program]
    const host = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    const [said] = await once(host.stdout, 'data')
    const port = Number(said)
    const container = engine.getContainer((await containerOn(port))?.Id ?? '')
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
    while ((await containerOn(port)) !== undefined) await delay(50)
  })

  test('ends itself at maxLifetimeMs', async () => {
    const server = new DockerJupyterServer({ baseImage, maxLifetimeMs: 6_000 })
    onTestFinished(() => server.stop())
    const { port } = await server.connect()
    expect(await containerOn(port)).toBeDefined()
    while ((await containerOn(port)) !== undefined) await delay(50)
    expect((await server.connect()).port).not.toBe(port)
  })
})
