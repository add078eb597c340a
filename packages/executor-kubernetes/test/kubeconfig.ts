import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig, type User } from '@kubernetes/client-node'
import { onTestFinished } from 'vitest'
import { testCluster } from './requirements.ts'

/** What is other than in the kubeconfig of the tests. */
interface Other {
  readonly token?: string
  /** Who one is, in another way than by a token. */
  readonly user?: Omit<User, 'name'>
  /** An address of this machine behind which the cluster is. */
  readonly server?: string
}

/** A kubeconfig file for the tests' cluster, until the test has finished. */
export function kubeconfigWith({ token, user: named, server }: Other): string {
  const config = new KubeConfig()
  config.loadFromFile(testCluster.kubeconfig)
  const cluster = config.getCurrentCluster()
  const user = config.getCurrentUser()
  if (cluster === null || user === null) throw new Error('The kubeconfig of the tests names no cluster.')
  const { hostname } = new URL(cluster.server)
  // A certificate of every API server has this name, too, and TLS knows no numbers for one.
  const tlsServerName = isIP(hostname) === 0 ? hostname : 'kubernetes'
  const otherUser = token === undefined ? (named ?? user) : { token }
  const other = new KubeConfig()
  other.loadFromOptions({
    clusters: [{ ...cluster, ...(server === undefined ? {} : { server, tlsServerName }) }],
    users: [{ ...otherUser, name: 'other' }],
    contexts: [{ name: 'other', cluster: cluster.name, user: 'other' }],
    currentContext: 'other',
  })
  const folder = mkdtempSync(join(tmpdir(), 'fenced-kubeconfig-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'config')
  writeFileSync(file, other.exportConfig(), { mode: 0o600 })
  return file
}

/** Who vouches for the tests' API server, in PEM. */
export function apiAuthority(): string {
  const config = new KubeConfig()
  config.loadFromFile(testCluster.kubeconfig)
  const { caFile, caData = '' } = config.getCurrentCluster() ?? {}
  return caFile === undefined ? Buffer.from(caData, 'base64').toString() : readFileSync(caFile, 'utf8')
}

/** The host and port of the tests' API server. */
export function apiAddress(): { host: string; port: number } {
  const config = new KubeConfig()
  config.loadFromFile(testCluster.kubeconfig)
  const { hostname, port } = new URL(config.getCurrentCluster()?.server ?? 'https://none')
  return { host: hostname, port: Number(port || 443) }
}
