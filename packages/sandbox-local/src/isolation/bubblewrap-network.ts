import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { TemporaryDirectory } from '@fenced/core/internal'
import type { Sandbox } from '@fenced/core/sandbox'
import type { Interpreter, NoInterpreter, StartedProcess } from '@fenced/host'
import { ListedNetwork } from '@fenced/sandbox/driver'
import { nodeTls } from '@fenced/shared'

/** How long a test may take, in milliseconds. */
const testLimitMs = 30_000

/**
 * A network list for processes in bubblewrap. Each process has a separate loopback, and so a separate helper, which starts
 * it and ends with it.
 */
export class BubblewrapNetwork {
  readonly variables: Readonly<Record<string, string>>
  /** What the helper and its programs need to read. */
  readonly directories: readonly string[]
  /** Has the certificates that they trust, where there are secrets. */
  readonly #trust: TemporaryDirectory | undefined
  readonly #listed: ListedNetwork
  readonly #interpreter: { readonly kind: 'python'; readonly program: string }

  /** @throws FencedError `NETWORK_HELPER_FAILED` without Python; `SECRETS_UNAVAILABLE`. */
  static async of(listed: ListedNetwork, python: Interpreter | NoInterpreter): Promise<BubblewrapNetwork> {
    const certificate = await listed.certificate()
    if (certificate === undefined) return new BubblewrapNetwork(listed, python)
    const trust = TemporaryDirectory.make()
    try {
      await writeFile(bundleIn(trust), `${await systemCertificates()}\n${certificate}`)
      // Public certificates: programs may have another user.
      await Promise.all([chmod(trust.path, 0o755), chmod(bundleIn(trust), 0o644)])
      return new BubblewrapNetwork(listed, python, trust)
    } catch (error) {
      await trust.remove()
      throw error
    }
  }

  private constructor(
    listed: ListedNetwork,
    python: Interpreter | NoInterpreter,
    trust?: TemporaryDirectory,
  ) {
    if ('missing' in python) {
      throw new FencedError({
        code: 'NETWORK_HELPER_FAILED',
        message: `A network allowlist in bubblewrap requires Python. ${python.missing}`,
        data: python.data,
      })
    }
    this.#listed = listed
    this.#interpreter = { kind: 'python', program: python.command[0] }
    this.#trust = trust
    this.variables = listed.variables(trust === undefined ? '' : bundleIn(trust))
    this.directories = [...python.directories, ...(trust === undefined ? [] : [trust.path])]
  }

  async end(): Promise<void> {
    await this.#trust?.remove()
  }

  /**
   * The command that starts a helper, and then is `command`.
   *
   * @param streamDescriptor - of the stream to this process, behind those that bubblewrap uses.
   */
  wrap(command: readonly string[], streamDescriptor: number): [string, ...string[]] {
    return [...ListedNetwork.helperCommand(this.#interpreter, streamDescriptor), ...command]
  }

  /** Takes what its helper brings. Returns whether that is there. */
  serve({ channel }: StartedProcess): () => boolean {
    if (channel === undefined) return () => false
    this.#listed.serve(channel)
    return () => !channel.destroyed
  }

  /** @throws FencedError `NETWORK_NOT_CLOSED`, `NETWORK_HELPER_FAILED`; the reason of the signal. */
  async test(spawn: Sandbox['spawn'], signal: AbortSignal): Promise<void> {
    const output = { stdout: '', stderr: '' }
    const process = await spawn(ListedNetwork.testCommand(this.#interpreter), {
      cwd: '/',
      signal: AbortSignal.any([signal, AbortSignal.timeout(testLimitMs)]),
      output: (stream, chunk) => {
        output[stream] += Buffer.from(chunk).toString()
      },
    })
    const end = await process.ended
    signal.throwIfAborted()
    const exitCode = end.kind === 'exited' ? end.exitCode : 1
    ListedNetwork.judgeTest({ exitCode, output: output.stdout + output.stderr }, false)
  }
}

function bundleIn({ path }: TemporaryDirectory): string {
  return join(path, 'certificates.pem')
}

/** Those that this machine trusts; where it does not say which, those that Node does. */
async function systemCertificates(): Promise<string> {
  for (const path of ListedNetwork.systemBundles) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text !== '') return text
  }
  return nodeTls().rootCertificates.join('\n')
}
