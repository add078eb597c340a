import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'
import { captureOutput, findProgram, withTrustedPath } from '@fenced/host'
import type { KubeconfigCluster, KubeconfigExec } from './kubeconfig.ts'

/** The credentials that a plugin prints (Kubernetes, `ExecCredential`). */
const credentialSchema = z.object({
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.string().nullish(),
  }),
})

export type Credential = z.output<typeof credentialSchema>['status']

/** How long a plugin may take, in milliseconds: it may ask the person at the screen. */
const timeoutMs = 300_000

/** A program of a kubeconfig that says who one is. Its answer is used until it expires. */
export class CredentialPlugin {
  readonly #exec: KubeconfigExec
  readonly #cluster: KubeconfigCluster
  #last: Credential | undefined

  constructor(exec: KubeconfigExec, cluster: KubeconfigCluster) {
    this.#exec = exec
    this.#cluster = cluster
  }

  /** @throws FencedError `PROGRAM_WRITABLE` where code could replace the program; Error that says why it fails. */
  async credential(): Promise<Credential> {
    const { expirationTimestamp } = this.#last ?? {}
    const isOver = Boolean(expirationTimestamp) && Date.parse(String(expirationTimestamp)) <= Date.now()
    if (this.#last === undefined || isOver) this.#last = await this.#ask()
    return this.#last
  }

  async #ask(): Promise<Credential> {
    const { command, args, installHint } = this.#exec
    const env = this.#environment()
    // Not from where code can write: the files of a pod are copied into the working directory.
    const program = findProgram(command, { path: env.PATH })
    if (program === undefined)
      throw new Error([`the program ${command} was not found`, installHint].filter(Boolean).join('. '))
    const { stdout, stderr, failure } = await captureOutput([program, ...(args ?? [])], { env, timeoutMs })
    if (failure !== undefined) throw new Error(stderr.trim() || failure)
    try {
      return credentialSchema.parse(JSON.parse(stdout)).status
    } catch (error) {
      // The words of a parser quote the text, in which a token may be.
      const why = error instanceof z.ZodError ? `: ${errorMessage(error)}` : ''
      throw new Error(`${command} did not print an ExecCredential${why}`)
    }
  }

  #environment(): NodeJS.ProcessEnv {
    const { apiVersion, env, provideClusterInfo } = this.#exec
    const spec = { interactive: false, ...(provideClusterInfo ? { cluster: this.#cluster } : {}) }
    return withTrustedPath({
      ...process.env,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
    })
  }
}
