import { FencedError, type StartOptions } from '@fenced/core'
import { TemporaryDirectory } from '@fenced/core/internal'
import { captureOutput, type Environment } from '@fenced/host'
import { anySignal, hideSecrets, hideUsers } from '@fenced/shared'
import { installEnvironment } from './installer-variables.ts'

export interface InstallerRun {
  /** With absolute paths only. */
  readonly command: readonly [string, ...string[]]
  readonly installEnv: Environment
  readonly installTimeoutMs: number
  /** Completes "could not": `install numpy into /path`. */
  readonly doing: string
  /** The values in `doing`, by name. */
  readonly values: Readonly<Record<string, string>>
}

/** Length of an installer's output in an error: the reason is at the end. */
const wordsLength = 3_000

/**
 * Runs pip or uv to its end. If it fails, its output becomes the error. Processes that a build leaves are ended with it, and with this
 * process on Linux.
 */
export async function runInstaller(
  { command, installEnv, installTimeoutMs, doing, values }: InstallerRun,
  { signal, onNotice }: StartOptions,
): Promise<void> {
  // Files of the installer are removed even if this process is killed.
  await using temporary = TemporaryDirectory.make()
  const shown = (text: string) => hideUsers(hideSecrets(text, installEnv))
  const line = shown(command.join(' '))
  onNotice?.({ code: 'install', message: `Running: ${line}`, data: { command: line } })
  const limit = AbortSignal.timeout(installTimeoutMs)
  const { failure, all } = await captureOutput(command, {
    // Python loads modules, and uv loads settings, from the current directory, where code could have put them.
    cwd: '/',
    env: installEnvironment({ TMPDIR: temporary.path, ...installEnv }),
    maxLength: wordsLength,
    signal: anySignal(signal === undefined ? [limit] : [limit, signal]),
  }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw limit.aborted ? tooLong({ doing, values, installTimeoutMs }) : error
  })
  if (failure === undefined) return
  const words = shown(all.trim() || failure)
  throw new FencedError({
    code: 'INSTALL_FAILED',
    message: `Could not ${doing}. The installer said:\n${words}`,
    data: { ...values, output: words },
  })
}

function tooLong({
  doing,
  values,
  installTimeoutMs,
}: Pick<InstallerRun, 'doing' | 'values' | 'installTimeoutMs'>): FencedError {
  return new FencedError({
    code: 'INSTALL_FAILED',
    message: `Could not ${doing} within ${installTimeoutMs} ms. The installer and all the processes it had started were stopped. Raise \`installTimeoutMs\`.`,
    data: { ...values, limitMs: String(installTimeoutMs), option: 'installTimeoutMs' },
  })
}
