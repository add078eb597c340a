import type { RequestOptions } from 'node:http'
import { FencedError } from '@fenced/core'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Kubeconfig } from './kubeconfig.ts'

/** Whether a kubeconfig has what only the client library of Kubernetes can do: a proxy, or a login such as OIDC. */
export function needsLibrary({ cluster, user }: Kubeconfig): boolean {
  return Boolean(cluster['proxy-url'] ?? user['auth-provider'])
}

/** Adds a proxy and the token of a login to requests. */
export class ClientLibrary {
  readonly #config: KubeConfig

  private constructor(config: KubeConfig) {
    this.#config = config
  }

  /** @throws FencedError `CLUSTER_NOT_FOUND` when the library is not installed. */
  static async load({ cluster, user }: Kubeconfig): Promise<ClientLibrary> {
    const { KubeConfig } = await importLibrary(cluster['proxy-url'] ? 'proxy-url' : 'auth-provider')
    const config = new KubeConfig()
    const named = { name: 'fenced' }
    const content = {
      clusters: [{ ...named, cluster }],
      users: [{ ...named, user: { 'auth-provider': user['auth-provider'] } }],
      contexts: [{ ...named, context: { cluster: named.name, user: named.name } }],
      'current-context': named.name,
    }
    config.loadFromString(JSON.stringify(content))
    return new ClientLibrary(config)
  }

  async apply(options: RequestOptions): Promise<void> {
    await this.#config.applyToHTTPSOptions(options)
  }
}

async function importLibrary(field: string): Promise<typeof import('@kubernetes/client-node')> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    const command = 'npm install @kubernetes/client-node'
    throw new FencedError({
      code: 'CLUSTER_NOT_FOUND',
      message: `The kubeconfig has \`${field}\`, which needs the package @kubernetes/client-node. It is not installed. Install it with \`${command}\`, or use a context without \`${field}\`.`,
      data: { package: '@kubernetes/client-node', field, command, option: 'cluster' },
      cause,
    })
  }
}
