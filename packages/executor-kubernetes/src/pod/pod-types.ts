import { z } from '@fenced/core/zod'

const stringsSchema = z.record(z.string(), z.string())

/** What is read of the metadata of an object (Kubernetes API, `ObjectMeta`). */
export const metadataSchema = z.object({
  name: z.string(),
  uid: z.string(),
  labels: stringsSchema.optional(),
  annotations: stringsSchema.optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
})

/** What is read of an object of any kind. */
export const objectSchema = z.object({ metadata: metadataSchema })

/** What is read of a condition (Kubernetes API, `Condition`). */
export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
})

const reasonSchema = z.object({ reason: z.string().optional(), message: z.string().optional() })

const containerStatusSchema = z.object({
  name: z.string().optional(),
  ready: z.boolean().optional(),
  state: z
    .object({
      running: z.looseObject({}).optional(),
      waiting: reasonSchema.optional(),
      terminated: reasonSchema.extend({ exitCode: z.number().optional() }).optional(),
    })
    .optional(),
})

const containerSchema = z.object({
  name: z.string(),
  resources: z.object({ limits: stringsSchema.optional() }).optional(),
})

/** What is read of a pod (Kubernetes API, `Pod`). */
export const podSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      nodeName: z.string().optional(),
      securityContext: z.object({ runAsUser: z.number().optional() }).optional(),
      containers: z.array(containerSchema).optional(),
    })
    .optional(),
  status: z
    .object({
      phase: z.string().optional(),
      podIP: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z.array(conditionSchema).optional(),
      containerStatuses: z.array(containerStatusSchema).optional(),
    })
    .optional(),
})

export type Pod = z.output<typeof podSchema>

type ContainerStatus = z.output<typeof containerStatusSchema>

/** The name of the container in which the code runs. */
export const containerName = 'code'

/** Returns the container in which the code runs. Admission webhooks may add other containers, in any order. */
export function codeContainerOf({ metadata, spec }: Pod) {
  const containers = spec?.containers ?? []
  const named = (name: string | undefined) => containers.find((each) => each.name === name)
  return (
    named(containerName) ??
    named(metadata.annotations?.['kubectl.kubernetes.io/default-container']) ??
    containers[0]
  )
}

export function statusOf({ status }: Pod, container = containerName): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === container)
}

/** Whether no process can be started in it, even if another container of the pod still runs. */
export function hasEnded(pod: Pod, container?: string): boolean {
  const { phase } = pod.status ?? {}
  const isOver = phase === 'Succeeded' || phase === 'Failed'
  return isOver || statusOf(pod, container)?.state?.terminated !== undefined
}
