import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Kubeconfig } from './kubeconfig.ts'

/** Where a pod has the files of its service account. */
const folder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster of the pod in which this program runs, by the service account of the pod; `undefined` outside of a pod. */
export function serviceAccount(): Kubeconfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  const [tokenFile, namespaceFile] = [join(folder, 'token'), join(folder, 'namespace')]
  if (!host || !port || !existsSync(tokenFile)) return undefined
  return {
    context: '',
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      'certificate-authority': join(folder, 'ca.crt'),
    },
    user: { tokenFile },
  }
}
