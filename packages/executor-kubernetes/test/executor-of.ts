import { KubernetesCommandLineCodeExecutor, type KubernetesExecutorOptions } from '../src/index.ts'
import { image, testCluster } from './requirements.ts'

/** An executor in the tests' cluster, with their image. */
export function executorIn(
  namespace: string | undefined,
  { pod, ...options }: KubernetesExecutorOptions = {},
): KubernetesCommandLineCodeExecutor {
  return new KubernetesCommandLineCodeExecutor({
    cluster: testCluster,
    namespace,
    network: true,
    pod: { image, imagePullPolicy: 'IfNotPresent', ...pod },
    ...options,
  })
}
