import { readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ClusterOptions } from './cluster-options.ts'

/** The client of Kubernetes, which takes half a second to load: only who starts a cluster pays for it. */
export type Client = typeof import('@kubernetes/client-node')

/** Of a user in a kubeconfig, what the client leaves out. */
interface UserEntry {
  readonly name?: string
  readonly user?: { readonly tokenFile?: string } | null
}

/** The files that kubectl would read; none where the service account of a pod is all there is. */
export function kubeconfigFiles({ findHomeDir }: Client, { kubeconfig }: ClusterOptions): string[] {
  if (kubeconfig !== undefined) return [resolve(kubeconfig)]
  const named = process.env.KUBECONFIG?.split(delimiter).filter((path) => path !== '') ?? []
  if (named.length > 0) return named.map((path) => resolve(path))
  const ofHome = join(findHomeDir() ?? '', '.kube', 'config')
  return stateOf(ofHome) === undefined ? [] : [resolve(ofHome)]
}

/** Changes whenever one of the files does. */
export function versionOf(files: readonly string[]): string {
  return JSON.stringify(files.map((path) => stateOf(path) ?? 'missing'))
}

/** Reads the files, with the context that is meant. */
export function readKubeconfig(
  { KubeConfig }: Client,
  files: readonly string[],
  context: string | undefined,
): KubeConfig {
  const config = new KubeConfig()
  const [first, ...others] = files
  if (first === undefined) config.loadFromDefault()
  else config.loadFromFile(first)
  for (const path of others) {
    const other = new KubeConfig()
    other.loadFromFile(path)
    config.mergeConfig(other)
  }
  if (context === undefined) return config
  if (config.getContextObject(context) === null) {
    const names = config.getContexts().map(({ name }) => name)
    throw new Error(`it has no context ${context}, only ${names.join(', ') || 'none'}`)
  }
  config.setCurrentContext(context)
  return config
}

/** The file with the token of the current user: of a `tokenFile`, or of the service account of a pod. */
export function tokenFileOf(
  { loadYaml }: Client,
  config: KubeConfig,
  files: readonly string[],
): string | undefined {
  const user = config.getCurrentUser()
  for (const path of files) {
    const { users } = loadYaml<{ readonly users?: readonly UserEntry[] }>(readFileSync(path, 'utf8'))
    const tokenFile = users?.find(({ name }) => name === user?.name)?.user?.tokenFile
    if (tokenFile) return resolve(dirname(path), tokenFile)
  }
  return user?.authProvider?.config?.tokenFile
}

function stateOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    return [ino, size, mtimeNs].join()
  } catch {
    return undefined
  }
}
