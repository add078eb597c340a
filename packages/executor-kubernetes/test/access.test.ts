import { afterAll, describe, expect, it } from 'vitest'
import { documented, type KubernetesObject } from './documented.ts'
import { executorIn } from './executor-of.ts'
import { kubeconfigWith } from './kubeconfig.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes, nodes, ownCluster } from './requirements.ts'

const groups: Readonly<Record<string, string>> = {
  ServiceAccount: 'api/v1/serviceaccounts',
  Role: 'apis/rbac.authorization.k8s.io/v1/roles',
  RoleBinding: 'apis/rbac.authorization.k8s.io/v1/rolebindings',
  NetworkPolicy: 'apis/networking.k8s.io/v1/networkpolicies',
}

/** A namespace in which what docs/kubernetes.md shows is applied, and a kubeconfig for its account. */
async function documentedAccess(change: (rules: KubernetesObject['rules']) => KubernetesObject['rules']) {
  const namespace = await TestNamespace.create()
  for (const object of documented) {
    const [group = '', kind = ''] = (groups[object.kind] ?? '').split(/\/(?=[a-z]+$)/)
    if (kind === '') continue
    const rules =
      object.rules === undefined
        ? {}
        : { rules: change(object.rules)?.filter(({ verbs }) => verbs.length > 0) }
    const subjects = object.subjects?.map((subject) => ({ ...subject, namespace: namespace.name }))
    await namespace.make(group, kind, {
      ...object,
      metadata: { ...object.metadata, namespace: namespace.name },
      ...rules,
      ...(subjects && { subjects }),
    })
  }
  const path = `/api/v1/namespaces/${namespace.name}/serviceaccounts/fenced/token`
  const answer = await namespace.api.ask<{ status: { token: string } }>('POST', path, { spec: {} })
  return { namespace, cluster: { kubeconfig: kubeconfigWith({ token: answer.status.token }) } }
}

const made: TestNamespace[] = []

describe.skipIf(kubernetes.missing)('the role of docs/kubernetes.md', () => {
  afterAll(() => Promise.all(made.map((namespace) => namespace.remove())))

  it('is all that blocks, files and processes need', async () => {
    const { namespace, cluster } = await documentedAccess((rules) => rules)
    made.push(namespace)
    await using executor = executorIn(namespace.name, { cluster })
    const code = 'open("made.txt", "w").write("made"); print(6 * 7)'
    const result = await executor.execute([{ language: 'python', code }])
    expect(result).toMatchObject({ status: 'ok', output: '42\n', files: [{ path: 'made.txt' }] })
    await executor.restart()
    expect(await executor.execute([{ language: 'sh', code: 'cat made.txt' }])).toMatchObject({
      output: 'made',
    })
  })

  it.skipIf(ownCluster.missing)('is all that `network: false` needs', async () => {
    const { namespace, cluster } = await documentedAccess((rules) => rules)
    made.push(namespace)
    await using executor = executorIn(namespace.name, {
      cluster,
      network: false,
      pod: { nodeSelector: nodes.closed },
    })
    expect(await executor.execute([{ language: 'sh', code: 'echo in' }])).toMatchObject({ output: 'in\n' })
  })

  it('has nothing that is not needed: without any of its verbs the start says which is missing', async () => {
    const verbs = verbsOf('fenced')
    expect(verbs.length).toBeGreaterThan(4)
    for (const missing of verbs) {
      // Servers before 1.35 ask for one of them only.
      if (missing.resource === 'pods/exec' && missing.verb === 'create') continue
      const { namespace, cluster } = await accessWithout(missing)
      const executor = executorIn(namespace.name, {
        cluster,
        network: missing.resource !== 'networkpolicies',
      })
      const words = [missing.verb, missing.resource]
      const trying = executor.start().then(() => executor.stop())
      await expect(trying, words.join(' ')).rejects.toMatchObject({
        code: 'CLUSTER_FORBIDDEN',
        message: expect.stringMatching(new RegExp(`cannot ${missing.verb} resource.*${missing.resource}`)),
      })
      await executor.stop().catch(() => {})
    }
  }, 120_000)
})

interface Verb {
  readonly resource: string
  readonly verb: string
}

function verbsOf(name: string): Verb[] {
  const role = documented.find(({ kind, metadata }) => kind === 'Role' && metadata.name === name)
  return (role?.rules ?? []).flatMap(({ resources, verbs }) =>
    verbs.map((verb) => ({ resource: resources.join(), verb })),
  )
}

async function accessWithout({ resource, verb: missing }: Verb) {
  const access = await documentedAccess((rules) =>
    rules?.map((rule) =>
      rule.resources.join() === resource
        ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== missing) }
        : rule,
    ),
  )
  made.push(access.namespace)
  return access
}
