// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core'
export type { ClusterOptions } from './api/cluster-options.ts'
export {
  KubernetesCommandLineCodeExecutor,
  type KubernetesExecutorOptions,
} from './kubernetes-command-line-code-executor.ts'
export type { PodOptions } from './pod/pod-options.ts'
export { KubernetesSandbox, type KubernetesSandboxParts } from './sandbox/kubernetes-sandbox.ts'
export type { KubernetesSandboxOptions } from './sandbox/sandbox-options.ts'
