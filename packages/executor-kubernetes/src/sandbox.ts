export type { ClusterOptions } from './api/kubeconfig.ts'
export type { PodAmounts, PodOptions, Toleration } from './pod/pod-options.ts'
export { KubernetesSandbox, type KubernetesSandboxParts } from './sandbox/kubernetes-sandbox.ts'
export type { KubernetesSandboxOptions, WarmPoolClaim } from './sandbox/sandbox-options.ts'
