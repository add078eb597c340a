import { afterAll, describe, expect, it } from 'vitest'
import { documented } from './documented.ts'
import { documentedAccess } from './documented-access.ts'
import { executorIn } from './executor-of.ts'
import type { TestNamespace } from './namespace.ts'
import { kubernetes, nodes, ownCluster } from './requirements.ts'

const made: TestNamespace[] = []

describe.skipIf(kubernetes.missing)('the role of docs/kubernetes.md', () => {
  afterAll(() => Promise.all(made.map((namespace) => namespace.remove())))

  it('is all that blocks, files and processes need', async () => {
    const { namespace, cluster } = await documentedAccess()
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

  it.skipIf(ownCluster.missing)("is all that `network: 'none'` needs", async () => {
    const { namespace, cluster } = await documentedAccess()
    made.push(namespace)
    await using executor = executorIn(namespace.name, {
      cluster,
      network: 'none',
      pod: { nodeSelector: nodes.closed },
    })
    expect(await executor.execute([{ language: 'sh', code: 'echo in' }])).toMatchObject({ output: 'in\n' })
  })

  it('has nothing that is not needed: without any of its verbs the start says which is missing', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    const verbs = verbsOf('fenced')
    expect(verbs.length).toBeGreaterThan(4)
    for (const missing of verbs) {
      // Servers before 1.35 ask for one of them only.
      if (missing.resource === 'pods/exec' && missing.verb === 'create') continue
      const { namespace, cluster } = await accessWithout(missing)
      const executor = executorIn(namespace.name, {
        cluster,
        network: missing.resource === 'networkpolicies' ? 'none' : 'open',
      })
      const words = [missing.verb, missing.resource]
      const trying = executor.start().then(() => executor.stop())
      await expect(trying, words.join(' ')).rejects.toMatchObject({
        code: 'CLUSTER_FORBIDDEN',
        data: {
          reason: expect.stringMatching(new RegExp(`cannot ${missing.verb} resource.*${missing.resource}`)),
        },
      })
      await executor.stop().catch(() => {})
    }
  })
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
