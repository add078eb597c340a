import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { z } from '@fenced/core/zod'
import { parse, YAMLParseError } from 'yaml'
import type { ClusterOptions } from './cluster-options.ts'

const text = z.string().nullish()

const clusterSchema = z.object({
  server: z.string().min(1, 'must name the address of the API server'),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
})

const execSchema = z.object({
  apiVersion: z.string().default('client.authentication.k8s.io/v1'),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: z.boolean().nullish(),
})

const userSchema = z.object({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  as: text,
  exec: execSchema.nullish(),
  'auth-provider': z.looseObject({ name: z.string() }).nullish(),
})

const contextSchema = z.object({ cluster: z.string(), user: text, namespace: text })

/** Only the entries that are used are checked further. */
const entriesSchema = z.array(z.looseObject({ name: z.string() })).nullish()

const documentSchema = z.object({
  'current-context': text,
  clusters: entriesSchema,
  users: entriesSchema,
  contexts: entriesSchema,
})

export type KubeconfigCluster = z.output<typeof clusterSchema>
export type KubeconfigUser = z.output<typeof userSchema>
export type KubeconfigExec = z.output<typeof execSchema>

/** The cluster and the user of a context. Their paths are absolute. */
export interface Kubeconfig {
  readonly context: string
  readonly namespace: string | undefined
  readonly cluster: KubeconfigCluster
  readonly user: KubeconfigUser
}

interface Document {
  readonly path: string
  readonly content: z.output<typeof documentSchema>
}

/** The files that kubectl would read; none where no kubeconfig is named and none is in the home directory. */
export function kubeconfigFiles({ kubeconfig }: ClusterOptions): string[] {
  if (kubeconfig !== undefined) return [resolve(kubeconfig)]
  const named = process.env.KUBECONFIG?.split(delimiter).filter((path) => path !== '') ?? []
  if (named.length > 0) return named.map((path) => resolve(path))
  const ofHome = join(homedir(), '.kube', 'config')
  return stateOf(ofHome) === undefined ? [] : [ofHome]
}

/** Changes whenever one of the files does. */
export function versionOf(files: readonly string[]): string {
  return JSON.stringify(files.map((path) => stateOf(path) ?? 'missing'))
}

/**
 * Reads the files. As for kubectl, the first file wins that has an entry or a current context.
 *
 * @throws Error that says what is wrong with them.
 */
export function readKubeconfig(files: readonly string[], wanted: string | undefined): Kubeconfig {
  if (files.length === 0) throw new Error('there is no kubeconfig')
  const documents = files.map((path): Document => ({ path, content: contentOf(path) }))
  const context = wanted ?? documents.map(({ content }) => content['current-context']).find(Boolean)
  if (!context) throw new Error('it has no current context')
  const found = entryOf(documents, 'context', context)
  if (found === undefined) {
    const names = documents.flatMap(({ content }) => content.contexts?.map(({ name }) => name) ?? [])
    throw new Error(`it has no context ${context}, only ${names.join(', ') || 'none'}`)
  }
  const { cluster: clusterName, user: userName, namespace } = checked(contextSchema, found.entry, context)
  const cluster = entryOf(documents, 'cluster', clusterName)
  if (cluster === undefined)
    throw new Error(`its context ${context} names a cluster that it does not contain (${clusterName})`)
  const user = userName ? entryOf(documents, 'user', userName) : { entry: {}, folder: '' }
  if (user === undefined)
    throw new Error(`its context ${context} names a user that it does not contain (${userName})`)
  return {
    context,
    namespace: namespace || undefined,
    cluster: withPaths(checked(clusterSchema, cluster.entry, clusterName), cluster.folder),
    user: withPaths(checked(userSchema, user.entry ?? {}, userName ?? ''), user.folder),
  }
}

function contentOf(path: string): z.output<typeof documentSchema> {
  const text = readFileSync(path, 'utf8')
  try {
    return checked(documentSchema, parse(text) ?? {}, path)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    // The parser's message quotes the text, in which a token may be.
    throw new Error(`${path} is not YAML, see line ${error.linePos?.[0].line}`)
  }
}

function entryOf(documents: readonly Document[], kind: 'cluster' | 'user' | 'context', name: string) {
  for (const { path, content } of documents) {
    const found = content[`${kind}s`]?.find((entry) => entry.name === name)
    if (found !== undefined) return { entry: found[kind], folder: dirname(path) }
  }
  return undefined
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(`its entry ${name} cannot be read: ${z.prettifyError(parsed.error)}`)
}

const pathFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const

/** Paths in a kubeconfig start from its folder. */
function withPaths<Entry extends KubeconfigCluster | KubeconfigUser>(entry: Entry, folder: string): Entry {
  const fields: Record<string, unknown> = { ...entry }
  for (const field of pathFields) {
    const path = fields[field]
    if (typeof path === 'string' && path !== '') fields[field] = resolve(folder, path)
  }
  const { exec } = entry as KubeconfigUser
  if (exec && /[\\/]/.test(exec.command)) fields.exec = { ...exec, command: resolve(folder, exec.command) }
  return fields as Entry
}

function stateOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    return [ino, size, mtimeNs].join()
  } catch {
    return undefined
  }
}
