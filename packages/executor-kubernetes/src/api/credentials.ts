import { existsSync, readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { ClientLibrary, needsLibrary } from './client-library.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { type Credential, CredentialPlugin } from './credential-plugin.ts'
import {
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
  kubeconfigFiles,
  readKubeconfig,
  versionOf,
} from './kubeconfig.ts'

/** A kubeconfig that was read, and what it needs to act. */
interface Read {
  readonly config: Kubeconfig
  readonly plugin: CredentialPlugin | undefined
  library: Promise<ClientLibrary> | undefined
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
  readonly #files: readonly string[]
  readonly #context: string | undefined
  #read: Read

  /** @throws Error where no cluster is named. */
  constructor(options: ClusterOptions) {
    this.#files = kubeconfigFiles(options)
    // A context is one of a kubeconfig.
    this.isOfPod = this.#files.length === 0 && options.context === undefined
    const version = versionOf(this.#files)
    const config = this.isOfPod ? serviceAccount() : readKubeconfig(this.#files, options.context)
    if (config === undefined)
      throw new Error('there is neither a kubeconfig nor the service account of a pod')
    this.server = config.cluster.server
    this.namespace = config.namespace
    this.#context = this.isOfPod ? undefined : config.context
    this.#read = this.#use(config, version)
  }

  /**
   * Adds them to a request.
   *
   * @throws FencedError, and Error that says why there are none.
   */
  async apply(options: RequestOptions): Promise<void> {
    if (versionOf(this.#files) !== this.#read.version) this.renew()
    const read = this.#read
    const { cluster, user } = read.config
    const credential = await read.plugin?.credential()
    Object.assign(
      options,
      { agent: false },
      tlsOptions(cluster, user, credential),
      identity(user, credential),
    )
    if (!needsLibrary(read.config)) return
    read.library ??= ClientLibrary.load(read.config)
    await (await read.library).apply(options)
  }

  /**
   * Reads them again, and forgets what a plugin has said. Those that were read before stay where that fails, and where the files name
   * another server: it may be another cluster, whose credentials are not for this one.
   */
  renew(): void {
    const version = versionOf(this.#files)
    try {
      const config = this.isOfPod ? this.#read.config : readKubeconfig(this.#files, this.#context)
      if (config.cluster.server === this.server) this.#read = this.#use(config, version)
    } catch {
      // Another process may be writing the file.
    }
  }

  /** As kubectl does, without TLS it sends no credentials. */
  #use(given: Kubeconfig, version: string): Read {
    const config = this.server.startsWith('http:') ? { ...given, user: {} } : given
    const { exec } = config.user
    const plugin = exec ? new CredentialPlugin(exec, config.cluster) : undefined
    return { config, plugin, library: undefined, version }
  }
}

function tlsOptions(
  cluster: KubeconfigCluster,
  user: KubeconfigUser,
  credential: Credential | undefined,
): RequestOptions & SecureContextOptions {
  return {
    ca: pemOf(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert:
      credential?.clientCertificateData ?? pemOf(user['client-certificate-data'], user['client-certificate']),
    key: credential?.clientKeyData ?? pemOf(user['client-key-data'], user['client-key']),
    ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  }
}

/** @param data - in base64, which goes before the file. */
function pemOf(data: string | null | undefined, path: string | null | undefined): Buffer | undefined {
  if (data) return Buffer.from(data, 'base64')
  return path ? readFileSync(path) : undefined
}

function identity(user: KubeconfigUser, credential: Credential | undefined): RequestOptions {
  const token = user.tokenFile ? tokenIn(user.tokenFile, user.token) : user.token || credential?.token
  return {
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(user.as ? { 'Impersonate-User': user.as } : {}),
    },
    ...(user.username ? { auth: `${user.username}:${user.password ?? ''}` } : {}),
  }
}

/** @param instead - what holds where the file cannot be read. */
function tokenIn(path: string, instead: string | null | undefined): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (!instead) throw error
    return instead
  }
}

/** Where a pod has the files of its service account. */
const folder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster of the pod in which this program runs, by the service account of the pod; `undefined` outside of a pod. */
function serviceAccount(): Kubeconfig | undefined {
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
