import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { User } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentedAccess } from './documented-access.ts'
import { executorIn } from './executor-of.ts'
import { apiAddress, apiAuthority, kubeconfigWith } from './kubeconfig.ts'
import { image, kubernetes, ownCluster } from './requirements.ts'

let documented: ReturnType<typeof documentedAccess> | undefined
let folder = ''

/** That of the page, once for all tests. */
const access = () => (documented ??= documentedAccess())

async function runsABlock(user: Omit<User, 'name'>): Promise<void> {
  const { namespace } = await access()
  const cluster = { kubeconfig: kubeconfigWith({ user }) }
  await using executor = executorIn(namespace.name, { cluster })
  expect(await executor.execute([{ language: 'sh', code: 'echo in' }])).toMatchObject({ output: 'in\n' })
}

describe.skipIf(kubernetes.missing)('who one is to a cluster', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  })

  afterAll(async () => {
    await (await documented)?.namespace.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is what an exec plugin says', async () => {
    const { token } = await access()
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token },
    }
    writeFileSync(join(folder, 'credential'), JSON.stringify(credential))
    await runsABlock({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'cat',
        args: [join(folder, 'credential')],
        interactiveMode: 'Never',
      },
    })
  })

  it('is not known where the exec plugin fails, which the error says', async () => {
    const user = {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'false', interactiveMode: 'Never' },
    }
    const executor = executorIn((await access()).namespace.name, {
      cluster: { kubeconfig: kubeconfigWith({ user }) },
    })
    await expect(executor.start()).rejects.toMatchObject({ code: 'CLUSTER_FORBIDDEN' })
  })

  it('is the token of OIDC', async () => {
    const { token } = await access()
    await runsABlock({ authProvider: { name: 'oidc', config: { 'id-token': token } } })
  })

  // A mount namespace has the files of a service account where a pod has them.
  it.skipIf(ownCluster.missing)(
    'is, in a pod, its service account, and pods are made in its namespace',
    async () => {
      const { token, namespace } = await access()
      const files = { token, 'ca.crt': apiAuthority(), namespace: namespace.name }
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
      const account = '/run/secrets/kubernetes.io/serviceaccount'
      const script = `mount -t tmpfs none /run && mkdir -p ${account} && cp "$0"/* ${account} && exec "$@"`
      const program = join(import.meta.dirname, 'programs/run-in-cluster.ts')
      const command = [process.execPath, '--conditions=@fenced/source', program, JSON.stringify({ image })]
      const { host, port } = apiAddress()
      const { PATH } = process.env
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['--mount', 'sh', '-c', script, folder, ...command],
        {
          env: { PATH, HOME: folder, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: `${port}` },
        },
      )
      expect(stdout).toMatch(/^fenced-\S+\n$/)
    },
  )
})
