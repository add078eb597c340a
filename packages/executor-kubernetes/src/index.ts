// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core/executor-package'
export {
  KubernetesCommandLineCodeExecutor,
  type KubernetesExecutorOptions,
  kubernetesExecutorOptionsSchema,
} from './kubernetes-command-line-code-executor.ts'
export {
  type ClusterOptions,
  KubernetesSandbox,
  type KubernetesSandboxOptions,
  type KubernetesSandboxParts,
  type PodAmounts,
  type PodOptions,
  type Toleration,
  type WarmPoolClaim,
} from './sandbox.ts'
