import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { untilAborted } from '@fenced/shared'
import { ApiAnswerError } from '../api/api-error.ts'
import type { Cluster } from '../api/cluster.ts'
import { ownMetadata, type PodEnd } from './labels.ts'
import { podPath, removeObject } from './pod-requests.ts'
import { conditionSchema, metadataSchema, objectSchema, type Pod, podSchema } from './pod-types.ts'
import { removeNowOrLater } from './remove-later.ts'

/** What is read of a SandboxClaim (kubernetes-sigs/agent-sandbox, `extensions.agents.x-k8s.io/v1beta1`). */
export const claimSchema = z.object({
  metadata: metadataSchema,
  status: z
    .object({
      conditions: z.array(conditionSchema).optional(),
      sandbox: z.object({ name: z.string().optional() }).optional(),
    })
    .optional(),
})

export type Claim = z.output<typeof claimSchema>

/** Where a claim is made, and how long it may take. */
export interface ClaimParts {
  readonly cluster: Cluster
  readonly namespace: string
  readonly startTimeoutMs: number
}

/** What is claimed, and for how long. */
export interface ClaimRequest extends PodEnd {
  readonly warmPool: string
  /** How long the claim lives, in milliseconds; 0 for no limit. */
  readonly lifetimeMs: number
}

/** A pod that a claim got. */
export interface ClaimedPod {
  readonly claim: Claim
  readonly pod: Pod
}

/** How long a claim may take to be extended, in milliseconds. */
const extensionLimitMs = 30_000

export function claimsPath(namespace: string): string {
  return `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/sandboxclaims`
}

/**
 * Claims a pod of a warm pool, and waits until it runs. When that fails, nothing of it is left. The claim contains no variables: they
 * would be readable for other users, and a pod with variables is created again.
 *
 * @throws FencedError, and the reason of the signal.
 */
export async function claimPod(
  { cluster, namespace, startTimeoutMs }: ClaimParts,
  request: ClaimRequest,
  signal: AbortSignal,
): Promise<ClaimedPod> {
  signal.throwIfAborted()
  const body = claimBody(request)
  const path = `${claimsPath(namespace)}/${body.metadata.name}`
  const limit = AbortSignal.timeout(startTimeoutMs)
  const both = AbortSignal.any([signal, limit])
  const making = create(cluster, namespace, body)
  let latest: Claim | undefined
  try {
    await untilAborted(making, signal)
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
      signal.throwIfAborted()
      latest = await cluster.ask({
        ...{ method: 'GET', path, doing: 'waiting for a claim', signal: both },
        answer: claimSchema,
      })
      const pod = await podOfClaim(latest, { cluster, namespace, signal: both })
      if (pod !== undefined) return { claim: latest, pod }
      throwIfUnsatisfiable(latest, request.warmPool)
      await delay(pauseMs, undefined, { signal: both })
    }
  } catch (error) {
    const remove = (removal: AbortSignal) => removeClaim(cluster, path, removal)
    await removeNowOrLater({ remove, making, signal })
    signal.throwIfAborted()
    throw limit.aborted ? tooLate(startTimeoutMs, latest, error) : error
  }
}

/** The pod of a claim that is ready; `undefined` while it is not. */
export async function podOfClaim(
  claim: Claim,
  {
    cluster,
    namespace,
    signal,
  }: Pick<ClaimParts, 'cluster' | 'namespace'> & { readonly signal: AbortSignal },
): Promise<Pod | undefined> {
  const name = claim.status?.sandbox?.name
  if (name === undefined || readyOf(claim)?.status !== 'True') return undefined
  const doing = 'looking for the pod of a claim'
  const path = `/apis/agents.x-k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/sandboxes/${encodeURIComponent(name)}`
  const sandbox = await cluster.find({ method: 'GET', path, doing, signal, answer: objectSchema })
  if (sandbox === undefined) return undefined
  const podName = sandbox.metadata.annotations?.['agents.x-k8s.io/pod-name'] || name
  const pod = await cluster.find({
    ...{ method: 'GET', path: podPath(namespace, podName), doing, signal },
    answer: podSchema,
  })
  return pod?.status?.phase === 'Running' ? pod : undefined
}

/** Moves the end of a claim. */
export async function extendClaim(cluster: Cluster, path: string, lifetimeMs: number): Promise<void> {
  const body = { spec: { lifecycle: { shutdownTime: timeIn(lifetimeMs) } } }
  const signal = AbortSignal.timeout(extensionLimitMs)
  await cluster.ask({ method: 'PATCH', path, body, doing: 'extending a claim', signal })
}

/** Ends a claim, and waits until its pod has ended as well. @returns whether it was there. */
export function removeClaim(
  cluster: Cluster,
  path: string,
  signal: AbortSignal,
  uid?: string,
): Promise<boolean> {
  const deletion = { propagationPolicy: 'Foreground' }
  return removeObject(cluster, { path, uid, doing: 'removing a claim', deletion }, signal)
}

function claimBody({ warmPool, lifetimeMs, ...end }: ClaimRequest) {
  const expires = lifetimeMs === 0 ? undefined : timeIn(lifetimeMs)
  return {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxClaim',
    metadata: ownMetadata(end, expires),
    spec: {
      warmPoolRef: { name: warmPool },
      lifecycle: { shutdownPolicy: 'Delete', ...(expires === undefined ? {} : { shutdownTime: expires }) },
    },
  }
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

/** The request is not cancelled: only its answer shows whether a claim was created. */
async function create(cluster: Cluster, namespace: string, body: object): Promise<void> {
  const path = claimsPath(namespace)
  const { signal } = new AbortController()
  try {
    await cluster.ask({ method: 'POST', path, body, doing: 'creating a claim', signal })
  } catch (error) {
    const { cause } = error as FencedError
    if (cause instanceof ApiAnswerError && cause.status === 404 && !/^namespaces? /i.test(cause.message))
      throw noWarmPool('the cluster does not know claims of kubernetes-sigs/agent-sandbox v1beta1', {}, error)
    throw error
  }
}

function readyOf({ status }: Claim) {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

function throwIfUnsatisfiable(claim: Claim, warmPool: string): void {
  const { reason, message } = readyOf(claim) ?? {}
  if (reason === 'WarmPoolNotFound') throw noWarmPool(`there is no SandboxWarmPool ${warmPool}`, { warmPool })
  if (reason === 'TemplateNotFound')
    throw noWarmPool(`the template of the SandboxWarmPool ${warmPool} is missing`, { warmPool })
  if (reason === 'ClaimExpired' || claim.metadata.deletionTimestamp !== undefined)
    throw new FencedError({
      code: 'SANDBOX_GONE',
      message: `The claim ended before it got a pod: ${message ?? 'it was removed'}. Start again.`,
      data: { claim: claim.metadata.name, ...(message === undefined ? {} : { reason: message }) },
    })
}

function noWarmPool(problem: string, data: { readonly warmPool?: string }, cause?: unknown): FencedError {
  return new FencedError({
    code: 'WARM_POOL_NOT_FOUND',
    message: `No pod can be claimed from a warm pool: ${problem}. Check \`kubectl get sandboxwarmpools\` in the namespace, and the requirements for a pool in docs/kubernetes.md.`,
    data: { ...data, command: 'kubectl get sandboxwarmpools' },
    cause,
  })
}

function tooLate(startTimeoutMs: number, claim: Claim | undefined, cause: unknown): FencedError {
  const { reason, message } = (claim && readyOf(claim)) ?? {}
  const words = [reason, message].filter(Boolean).join(': ') || 'its controller has not answered'
  return new FencedError({
    code: 'POD_NOT_STARTED',
    message: `The claim had no pod within ${startTimeoutMs / 1_000} seconds: ${words}. Enlarge the warm pool, or raise \`startTimeoutMs\`.`,
    data: { reason: words, limitMs: String(startTimeoutMs), option: 'startTimeoutMs' },
    cause,
  })
}
