import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What is asked for, and of which helper. */
export interface CredentialRequest {
  /** The helper's name, as docker's configuration has it. */
  readonly name: string
  /** The registry's. */
  readonly address: string
  /** The helper's environment, which says where it is. */
  readonly environment: NodeJS.ProcessEnv
}

/** A helper may ask the person at the screen. */
const timeoutMs = 120_000

/**
 * Asks a program that keeps passwords for the docker command (docker/docker-credential-helpers): the registry's
 * address on stdin, JSON on stdout.
 *
 * @returns `undefined` when it keeps none for this registry.
 * @throws Error when it fails. What it wrote is not quoted, since there may be a secret in it.
 */
export async function askCredentialHelper(
  { name, address, environment }: CredentialRequest,
  signal: AbortSignal,
): Promise<{ username: string; secret: string } | undefined> {
  const program = `docker-credential-${name}`
  try {
    const options = { env: environment, signal, timeout: timeoutMs, windowsHide: true }
    const running = promisify(execFile)(program, ['get'], options)
    // That a program does not read shows at its end.
    running.child.stdin?.on('error', () => {}).end(address)
    const { Username = '', Secret = '' } = JSON.parse((await running).stdout)
    return Username === '' && Secret === '' ? undefined : { username: Username, secret: Secret }
  } catch (error) {
    signal.throwIfAborted()
    const { stdout = '' } = error as { stdout?: string }
    if (stdout.includes('credentials not found')) return undefined
    throw new Error(`the credential helper ${program} ${problemOf(error)}`)
  }
}

function problemOf(error: unknown): string {
  const { code, killed } = error as { code?: string | number; killed?: boolean }
  if (code === 'ENOENT') return 'is not on the PATH'
  if (killed) return `did not answer within ${timeoutMs / 1000} seconds`
  return typeof code === 'number' ? `failed with exit code ${code}` : 'gave an answer that is not understood'
}
