import { readFileSync } from 'node:fs'
import { loadAllYaml } from '@kubernetes/client-node'

/** An object of Kubernetes, as far as tests read it. */
export interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[]
  readonly subjects?: readonly object[]
}

const page = readFileSync(new URL('../../../docs/kubernetes.md', import.meta.url), 'utf8')

/** What docs/kubernetes.md shows, in its order. */
export const documented = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(
  ([, text = '']) => loadAllYaml(text) as KubernetesObject[],
)
