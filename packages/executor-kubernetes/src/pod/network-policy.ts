import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { Cluster } from '../api/cluster.ts'

type Labels = Readonly<Record<string, string>>

const selectorSchema = z.object({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
    .optional(),
})

/** What is read of a NetworkPolicy. */
const networkPolicySchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z
    .object({
      podSelector: selectorSchema.optional(),
      policyTypes: z.array(z.string()).optional(),
      egress: z.array(z.unknown()).optional(),
    })
    .optional(),
})

type NetworkPolicy = z.output<typeof networkPolicySchema>

type LabelSelector = z.output<typeof selectorSchema>

/**
 * Sees to it that the policies of a namespace let nothing out of a pod. Whether they are kept is not known with that: a cluster
 * whose network ignores them takes them all the same.
 *
 * @throws FencedError `NETWORK_NOT_CLOSED`.
 */
export async function requireClosedPolicy(
  cluster: Cluster,
  { namespace, labels }: { readonly namespace: string; readonly labels: Labels },
  signal: AbortSignal,
): Promise<void> {
  const items = await cluster.list({
    path: `/apis/networking.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/networkpolicies`,
    doing: 'reading the network policies',
    signal,
    answer: networkPolicySchema,
  })
  const problem = whyOpen(items, labels)
  if (problem === undefined) return
  throw new FencedError({
    code: 'NETWORK_NOT_CLOSED',
    message: `\`network: 'none'\` cannot be guaranteed in the namespace ${namespace}: ${problem.words}. Apply the NetworkPolicy from docs/kubernetes.md.`,
    data: { namespace, ...problem.data, option: 'network' },
  })
}

/** Why policies let something out of a pod. */
export interface OpenPolicy {
  readonly words: string
  /** The values in `words`, by name. */
  readonly data: { readonly networkPolicy?: string }
}

/** Why the policies let something out of a pod with these labels; `undefined` when they do not. */
export function whyOpen(policies: readonly NetworkPolicy[], labels: Labels): OpenPolicy | undefined {
  const ours = policies.filter(({ spec }) => selects(spec?.podSelector ?? {}, labels) && isForEgress(spec))
  if (ours.length === 0) return { words: 'no NetworkPolicy for egress selects its pods', data: {} }
  // What one of them allows is allowed.
  const open = ours.find(({ spec }) => (spec?.egress ?? []).length > 0)
  if (open === undefined) return undefined
  const { name } = open.metadata
  return { words: `the NetworkPolicy ${name} allows egress`, data: { networkPolicy: name } }
}

/** Kubernetes takes one without types for one of egress if it has rules for that. */
function isForEgress(spec: NetworkPolicy['spec']): boolean {
  return spec?.policyTypes?.includes('Egress') ?? spec?.egress !== undefined
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      const isIn = value !== undefined && values.includes(value)
      return operator === 'In' ? isIn : operator === 'NotIn' && !isIn
    })
  )
}
