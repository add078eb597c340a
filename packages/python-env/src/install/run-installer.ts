import { FencedError, type StartOptions } from '@fenced/core'
import type { Environment } from '@fenced/host'
import { execa } from 'execa'
import { installEnvironment } from './install-environment.ts'

export interface InstallerRun {
  /** With absolute paths only. */
  readonly command: readonly [string, ...string[]]
  readonly installEnv: Environment
  /** So that it reads on after "could not": `install numpy into /path`. */
  readonly doing: string
}

/** How much of an installer's own words goes into an error: the reason stands at the end. */
const wordsLength = 3_000

/** Runs pip or uv to its end; its words become the error when it fails. */
export async function runInstaller(
  { command: [program, ...args], installEnv, doing }: InstallerRun,
  { signal, onNotice }: StartOptions,
): Promise<void> {
  onNotice?.({ code: 'install', message: `Running: ${[program, ...args].join(' ')}` })
  const { failed, all, message } = await execa(program, args, {
    // Python takes modules, and uv its settings, from where it is started: code may have put them into our directory.
    cwd: '/',
    env: installEnvironment(installEnv),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: true,
    killDescendants: true,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  })
  signal?.throwIfAborted()
  if (!failed) return
  const words = (all ?? '').trim().slice(-wordsLength) || message
  throw new FencedError({
    code: 'INSTALL_FAILED',
    message: `It was not possible to ${doing}. The installer said:\n${words}`,
  })
}
