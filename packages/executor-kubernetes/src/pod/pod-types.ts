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
  readonly ready?: boolean
  readonly state?: {
    readonly running?: object
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number }
  }
}

/** The name of the container in which the code runs. */
export const containerName = 'code'
