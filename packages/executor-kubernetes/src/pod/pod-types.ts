/** What is read of a pod (Kubernetes API, `Pod`). */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
  }
  readonly spec?: {
    readonly nodeName?: string
    readonly securityContext?: { readonly runAsUser?: number }
    readonly containers?: readonly {
      readonly name: string
      readonly resources?: { readonly limits?: Readonly<Record<string, string>> }
    }[]
  }
  readonly status?: {
    readonly phase?: string
    readonly podIP?: string
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly Condition[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name?: string
  readonly ready?: boolean
  readonly state?: {
    readonly running?: object
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number }
  }
}

/** The name of the container in which the code runs. */
export const containerName = 'code'

/** The container in which the code runs; others may stand beside it, in any order, because an admission webhook added them. */
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

/** Whether nothing can be started in it any more, also where another container of it still runs. */
export function hasEnded(pod: Pod, container?: string): boolean {
  const { phase } = pod.status ?? {}
  const isOver = phase === 'Succeeded' || phase === 'Failed'
  return isOver || statusOf(pod, container)?.state?.terminated !== undefined
}
