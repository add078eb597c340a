import { z } from 'zod'

/**
 * The cluster to use: a kubeconfig file, and a context in it. By default the cluster of kubectl:
 * `KUBECONFIG`, `~/.kube/config`, or the service account of the pod in which this program runs.
 */
export interface ClusterOptions {
  /**
   * The path of a kubeconfig file.
   *
   * @default as kubectl finds it, or the service account of the pod
   */
  readonly kubeconfig?: string | undefined
  /**
   * The name of a context in it.
   *
   * @default its current one
   */
  readonly context?: string | undefined
}

export const clusterOptionsSchema = z.strictObject({
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
})
