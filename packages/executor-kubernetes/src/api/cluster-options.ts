import { z } from '@fenced/core/zod'

/**
 * The cluster to use: a kubeconfig file and a context in that file. By default, the cluster is chosen as kubectl chooses it:
 * `KUBECONFIG`, `~/.kube/config`, or the service account of the pod in which this program runs.
 */
export interface ClusterOptions {
  /**
   * Path of a kubeconfig file.
   *
   * @default the file that kubectl would use, or the pod's service account
   */
  readonly kubeconfig?: string | undefined
  /**
   * Name of a context in the kubeconfig file.
   *
   * @default the file's current context
   */
  readonly context?: string | undefined
}

export const clusterOptionsSchema = z.strictObject({
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
})
