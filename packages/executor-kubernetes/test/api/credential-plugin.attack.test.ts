import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Cluster } from '../../src/api/cluster.ts'

describe.skipIf(process.platform === 'win32')('a program that code of a pod left on the PATH', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fenced-attack-'))
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  it('is not the plugin of a kubeconfig that says who one is', async () => {
    const [copied, system] = [join(folder, 'copied'), join(folder, 'system')]
    const directory = new HostWorkDirectory({ path: copied, mountedAt: '/workspace' })
    await directory.open()
    await mkdir(system)
    for (const path of [copied, system]) {
      await writeFile(join(path, 'who'), `#!/bin/sh\necho "$VARIABLE" > ${path}/was-run\nexit 1\n`)
      await chmod(join(path, 'who'), 0o755)
    }
    vi.stubEnv('PATH', [copied, system, process.env.PATH].join(delimiter))
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'who',
      env: [{ name: 'VARIABLE', value: 'of the kubeconfig' }],
      interactiveMode: 'Never',
    }
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    const cluster = await Cluster.find({ kubeconfig })
    await expect(
      cluster.ask({ method: 'GET', path: '/version', doing: 'ask', signal: new AbortController().signal }),
    ).rejects.toThrow()
    expect(existsSync(join(copied, 'was-run'))).toBe(false)
    expect(await readFile(join(system, 'was-run'), 'utf8')).toBe('of the kubeconfig\n')
    await directory.close()
  })
})
