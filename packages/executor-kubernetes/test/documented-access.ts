import { documented, type KubernetesObject } from './documented.ts'
import { kubeconfigWith } from './kubeconfig.ts'
import { TestNamespace } from './namespace.ts'

const groups: Readonly<Record<string, string>> = {
  ServiceAccount: 'api/v1/serviceaccounts',
  Role: 'apis/rbac.authorization.k8s.io/v1/roles',
  RoleBinding: 'apis/rbac.authorization.k8s.io/v1/rolebindings',
  NetworkPolicy: 'apis/networking.k8s.io/v1/networkpolicies',
}

/** A namespace in which what docs/kubernetes.md shows is applied, and a kubeconfig for its account. */
export async function documentedAccess(
  change: (rules: KubernetesObject['rules']) => KubernetesObject['rules'] = (rules) => rules,
): Promise<{
  readonly namespace: TestNamespace
  readonly token: string
  readonly cluster: { readonly kubeconfig: string }
}> {
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
  const { token } = answer.status
  return { namespace, token, cluster: { kubeconfig: kubeconfigWith({ token }) } }
}
