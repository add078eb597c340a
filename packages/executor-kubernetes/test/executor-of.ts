import type { NetworkSubject } from '@fenced/contract'
import {
  KubernetesCommandLineCodeExecutor,
  type KubernetesExecutorOptions,
  KubernetesSandbox,
} from '../src/index.ts'
import { image, nodes, testCluster } from './requirements.ts'

/** Makes pods with a network by list, on a node that lets nothing out beside it. */
export function createListedPod(namespace: string | undefined): NetworkSubject['create'] {
  const pod = { image, imagePullPolicy: 'IfNotPresent', nodeSelector: nodes.closed } as const
  return (network, lookup) =>
    new KubernetesSandbox({ cluster: testCluster, namespace, pod, network }, { lookup })
}

/** An executor in the tests' cluster, with their image. */
export function executorIn(
  namespace: string | undefined,
  { pod, ...options }: KubernetesExecutorOptions = {},
): KubernetesCommandLineCodeExecutor {
  return new KubernetesCommandLineCodeExecutor({
    cluster: testCluster,
    namespace,
    network: 'open',
    pod: { image, imagePullPolicy: 'IfNotPresent', ...pod },
    ...options,
  })
}
