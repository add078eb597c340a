import { thisOwner } from '@fenced/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  KubernetesCommandLineCodeExecutor,
  KubernetesSandbox,
  type KubernetesSandboxOptions,
} from '../src/index.ts'
import { ownerLabels } from '../src/pod/labels.ts'
import { documented, type KubernetesObject } from './documented.ts'
import { kubeconfigWith } from './kubeconfig.ts'
import { TestNamespace } from './namespace.ts'
import { agentSandbox, image, nodes, testCluster } from './requirements.ts'

const namespace = agentSandbox.missing ? undefined : await TestNamespace.create()
const name = namespace?.name ?? ''

const extensions = 'apis/extensions.agents.x-k8s.io/v1beta1'

interface Claim {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: {
    readonly env?: unknown
    readonly lifecycle: { readonly shutdownPolicy: string; readonly shutdownTime?: string }
  }
}

const options: KubernetesSandboxOptions = {
  cluster: testCluster,
  namespace: name,
  network: 'open',
  claim: { warmPool: 'python' },
  env: { SECRET: 'of a program' },
}

const print = { language: 'python', code: 'import os; print(os.environ["SECRET"])' }

async function claims(): Promise<readonly Claim[]> {
  const path = `/${extensions}/namespaces/${name}/sandboxclaims`
  return (await namespace?.api.ask<{ items: Claim[] }>('GET', path))?.items ?? []
}

/** Makes an object of docs/kubernetes.md, changed. */
async function apply(
  kind: string,
  [group, plural]: readonly [string, string],
  change: (text: string) => string,
) {
  for (const object of documented.filter((each) => each.kind === kind)) {
    const body = JSON.parse(change(JSON.stringify(object))) as KubernetesObject
    await namespace?.make(group, plural, { ...body, metadata: { ...body.metadata, namespace: name } })
  }
}

const pooled = async () => {
  const path = `/${extensions}/namespaces/${name}/sandboxwarmpools/python`
  const pool = await namespace?.api.ask<{ status?: { readyReplicas?: number } }>('GET', path)
  return pool?.status?.readyReplicas ?? 0
}

describe.skipIf(agentSandbox.missing)(
  'a pod that is claimed from the warm pool of docs/kubernetes.md',
  () => {
    beforeAll(async () => {
      const ofTests = `"image":"${image}","imagePullPolicy":"IfNotPresent"`
      const selector = `"nodeSelector":${JSON.stringify(nodes.open)},"automountServiceAccountToken"`
      await apply('SandboxTemplate', [extensions, 'sandboxtemplates'], (text) =>
        text.replace('"image":"python:3-slim"', ofTests).replace('"automountServiceAccountToken"', selector),
      )
      await apply('SandboxWarmPool', [extensions, 'sandboxwarmpools'], (text) => text)
      while ((await pooled()) < 2) await new Promise((resolve) => setTimeout(resolve, 200))
    }, 120_000)
    afterAll(() => namespace?.remove())

    it('was there before, runs blocks with their files and variables, and ends with its claim', async () => {
      const before = (await namespace?.pods()) ?? []
      const executor = new KubernetesCommandLineCodeExecutor({ ...options, maxLifetimeMs: 3_600_000 })
      const write = { language: 'python', code: 'open("made.txt", "w").write("made")' }
      expect(await executor.execute([print, write])).toMatchObject({
        status: 'ok',
        output: 'of a program\n',
        files: [{ path: 'made.txt' }],
      })
      expect(executor.capabilities.limits).toEqual({ memory: false, processes: false })
      const [claim] = await claims()
      expect(claim?.spec.lifecycle.shutdownPolicy).toBe('Delete')
      const lifetimeMs = Date.parse(claim?.spec.lifecycle.shutdownTime ?? '') - Date.now()
      expect(lifetimeMs).toBeGreaterThan(3_400_000)
      expect(lifetimeMs).toBeLessThanOrEqual(3_600_000)
      expect(JSON.stringify(claim)).not.toContain('of a program')
      expect(claim?.spec.env).toBe(undefined)
      const { output } = await executor.execute([{ language: 'sh', code: 'hostname' }])
      expect(before).toContain(output.trim())
      await executor.stop()
      expect(await claims()).toEqual([])
      // The controller removes the pod after its claim.
      await expect.poll(() => namespace?.pods(), { timeout: 60_000 }).not.toContain(output.trim())
    }, 120_000)

    it('ends at its `shutdownTime`, and the next block gets another one', {
      tags: 'nightly',
      timeout: 120_000,
    }, async () => {
      await using executor = new KubernetesCommandLineCodeExecutor({ ...options, maxLifetimeMs: 15_000 })
      const first = await executor.execute([{ language: 'sh', code: 'hostname' }])
      await expect.poll(claims, { timeout: 60_000 }).toEqual([])
      // Its pod ends a moment after the claim.
      await expect.poll(() => namespace?.pods(), { timeout: 60_000 }).not.toContain(first.output.trim())
      const { blocks, output } = await executor.execute([print])
      expect(output).toBe('of a program\n')
      expect(blocks[0]?.notices).toMatchObject([{ code: 'container-replaced' }])
    })

    it('is not to be had of a pool that is not there, nor without a policy for a closed network, and nothing is left', async () => {
      const none = new KubernetesSandbox({ ...options, claim: { warmPool: 'none' } })
      await expect(none.start()).rejects.toMatchObject({
        code: 'WARM_POOL_NOT_FOUND',
        data: { warmPool: 'none' },
      })
      const closed = new KubernetesSandbox({ ...options, network: 'none' })
      await expect(closed.start()).rejects.toMatchObject({ code: 'NETWORK_NOT_CLOSED' })
      expect(await claims()).toEqual([])
      expect(() => new KubernetesSandbox({ ...options, pod: {} })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'claim' } }),
      )
    }, 120_000)

    it('is resumed by its id with the same options, and its claim lasts as long as it is used', {
      tags: 'nightly',
      timeout: 120_000,
    }, async () => {
      const detached = { expiresInMs: 40_000 }
      const first = new KubernetesSandbox(options)
      await first.start({ detached })
      await first.files.write('/tmp/kept', 'kept')
      const [claim] = await claims()
      const id = first.id ?? ''
      expect(id).toBe(`${name}/${claim?.metadata.name}/${claim?.metadata.uid}`)
      const another = new KubernetesSandbox({ ...options, network: 'none' })
      await expect(another.start({ detached, resume: id })).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
      await using second = new KubernetesSandbox(options)
      await second.start({ detached, resume: id })
      expect(second.id).toBe(id)
      expect(await second.files.read('/tmp/kept')).toBeDefined()
      const before = claim?.spec.lifecycle.shutdownTime
      await expect.poll(async () => (await claims())[0]?.spec.lifecycle.shutdownTime).not.toBe(before)
      await second.stop()
      await expect(first.start({ detached, resume: id })).resolves.toBe(undefined)
      await expect(another.start({ detached, resume: id })).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
    })

    it('that a killed process left is removed by the next start of this machine', {
      tags: 'nightly',
      timeout: 120_000,
    }, async () => {
      const owner = { ...thisOwner(), processId: 2 ** 22 + 1 }
      await namespace?.make(extensions, 'sandboxclaims', {
        apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
        kind: 'SandboxClaim',
        metadata: {
          name: 'left',
          labels: ownerLabels(owner),
          annotations: { 'fenced.dev/process-start': '1' },
        },
        spec: { warmPoolRef: { name: 'python' } },
      })
      await using sandbox = new KubernetesSandbox(options)
      await sandbox.start()
      await expect
        .poll(async () => (await claims()).map(({ metadata }) => metadata.name))
        .not.toContain('left')
    })

    it('is claimed with the roles of the page, and not without any verb of them', {
      tags: 'nightly',
      timeout: 120_000,
    }, async () => {
      const account = (text: string) => text.replaceAll('"namespace":"fenced"', `"namespace":"${name}"`)
      const roles = 'apis/rbac.authorization.k8s.io/v1'
      await apply('ServiceAccount', ['api/v1', 'serviceaccounts'], account)
      await apply('Role', [roles, 'roles'], account)
      await apply('RoleBinding', [roles, 'rolebindings'], account)
      const path = `/api/v1/namespaces/${name}/serviceaccounts/fenced/token`
      const answer = await namespace?.api.ask<{ status: { token: string } }>('POST', path, { spec: {} })
      const cluster = { kubeconfig: kubeconfigWith({ token: answer?.status.token ?? '' }) }
      const claimed = async () => {
        const sandbox = new KubernetesSandbox({ ...options, cluster })
        await sandbox.start()
        await sandbox.stop()
      }
      await claimed()
      const role = documented.find(
        ({ metadata, kind }) => kind === 'Role' && metadata.name === 'fenced-claims',
      )
      for (const { resources, verbs } of role?.rules ?? [])
        for (const verb of verbs) {
          // Only the claim of a detached sandbox is changed.
          if (verb === 'patch') continue
          const rules = role?.rules?.map((rule) =>
            rule.resources.join() === resources.join()
              ? { ...rule, verbs: rule.verbs.filter((other) => other !== verb) }
              : rule,
          )
          await namespace?.api.ask('DELETE', `/${roles}/namespaces/${name}/roles/fenced-claims`)
          await namespace?.make(roles, 'roles', {
            ...role,
            metadata: { name: 'fenced-claims', namespace: name },
            // One without verbs is not taken.
            rules: rules?.filter((rule) => rule.verbs.length > 0),
          })
          await expect(claimed(), `${verb} ${resources}`).rejects.toMatchObject({ code: 'CLUSTER_FORBIDDEN' })
        }
    })
  },
)
