import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ClusterOptions } from './cluster-options.ts'
import { trustPlugin } from './credential-plugin.ts'
import { type Client, kubeconfigFiles, readKubeconfig, tokenFileOf, versionOf } from './kubeconfig.ts'

/** A kubeconfig that was read. */
interface Read {
  readonly config: KubeConfig
  readonly tokenFile: string | undefined
  /** Of its files. */
  readonly version: string
}

/**
 * Who we are to a cluster. Its files are read again when they have changed, and after a refusal; the cluster and the context stay those
 * of the first time.
 */
export class Credentials {
  readonly server: string
  readonly namespace: string | undefined
  /** Whether they are the service account of the pod in which this program runs. */
  readonly isOfPod: boolean
  readonly #client: Client
  readonly #files: readonly string[]
  readonly #context: string
  #read: Read

  /** @throws Error where no cluster is named. */
  static async read(options: ClusterOptions): Promise<Credentials> {
    return new Credentials(await import('@kubernetes/client-node'), options)
  }

  private constructor(client: Client, options: ClusterOptions) {
    this.#client = client
    this.#files = kubeconfigFiles(client, options)
    const version = versionOf(this.#files)
    const config = readKubeconfig(client, this.#files, options.context)
    const cluster = config.getCurrentCluster()
    if (cluster === null) throw new Error('its current context names no cluster')
    // Without any configuration the client makes one up.
    if (this.#files.length === 0 && cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')
      throw new Error('there is neither a kubeconfig nor the service account of a pod')
    this.server = cluster.server
    this.isOfPod = this.#files.length === 0 && cluster.name === 'inCluster'
    this.#context = config.getCurrentContext()
    this.namespace = config.getContextObject(this.#context)?.namespace
    this.#read = this.#secure(config, version)
  }

  /** Adds them to a request. */
  async apply(options: RequestOptions): Promise<void> {
    if (versionOf(this.#files) !== this.#read.version) this.renew()
    const { config, tokenFile } = this.#read
    const user = config.getCurrentUser()
    trustPlugin(user)
    await config.applyToHTTPSOptions(options)
    const token = tokenFile === undefined ? undefined : tokenIn(tokenFile, user?.token)
    if (token !== undefined) options.headers = { ...options.headers, Authorization: `Bearer ${token}` }
  }

  /**
   * Reads them again, and forgets what a plugin has said. Those that were read before stay where that fails, and where the files name
   * another server: it may be another cluster, whose credentials are not for this one.
   */
  renew(): void {
    const version = versionOf(this.#files)
    try {
      const config = readKubeconfig(this.#client, this.#files, this.#context)
      if (config.getCurrentCluster()?.server === this.server) this.#read = this.#secure(config, version)
    } catch {
      // A file that is written at this moment may be half of one.
    }
  }

  /** As kubectl does, without TLS it sends no credentials. */
  #secure(config: KubeConfig, version: string): Read {
    if (!this.server.startsWith('http:'))
      return { config, version, tokenFile: tokenFileOf(this.#client, config, this.#files) }
    config.clusters = config.clusters.map((cluster) => ({ ...cluster, skipTLSVerify: true }))
    config.users = config.users.map(({ name }) => ({ name }))
    return { config, version, tokenFile: undefined }
  }
}

/** @param instead - what holds where the file cannot be read. */
function tokenIn(path: string, instead: string | undefined): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (instead === undefined) throw error
    return instead
  }
}
