import { homedir } from 'node:os'
import { isAbsolute, relative } from 'node:path'
import { FencedError } from '@fenced/core'
import { execa } from 'execa'
import which from 'which'

/** Where people and services keep what is theirs: empty inside. */
const hidden = ['/home', '/root', '/tmp', '/var/tmp', '/run', '/mnt', '/media', '/srv']

export interface SandboxOptions {
  /** The only directory in which programs can write, beside a /tmp of their own. */
  readonly workDir: string
  readonly network: boolean
}

/** Puts programs into a bubblewrap sandbox. */
export interface Sandbox {
  /** The command that runs `command` inside. `directories` are readable there although they may be in a hidden place. */
  wrap(command: readonly string[], directories: readonly string[]): readonly [string, ...string[]]
}

/**
 * A sandbox that was seen to work on this machine.
 *
 * @throws FencedError `ISOLATION_UNAVAILABLE`.
 */
export async function createSandbox(options: SandboxOptions, signal: AbortSignal): Promise<Sandbox> {
  const program = await which('bwrap', { nothrow: true })
  if (program === null) {
    throw unavailable(
      'the program bwrap is not on the PATH. Install it (Debian, Ubuntu, Fedora: the package bubblewrap), or choose another executor.',
    )
  }
  const sandbox: Sandbox = {
    wrap: (command, directories) => [program, ...sandboxArguments(options, directories), '--', ...command],
  }
  const [file, ...args] = sandbox.wrap(['true'], [])
  // It takes milliseconds, and a bwrap that is killed while it begins leaves a child that waits for ever.
  const { failed, stderr } = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    timeout: 10_000,
    killDescendants: true,
  })
  signal.throwIfAborted()
  if (failed) {
    throw unavailable(
      `bwrap cannot make a sandbox on this machine: ${stderr.trim()}. It may lack user namespaces, as many containers do. Allow them, or choose another executor.`,
    )
  }
  return sandbox
}

function sandboxArguments({ workDir, network }: SandboxOptions, directories: readonly string[]): string[] {
  const empty = [...new Set([...hidden, homedir()])]
  // The order is the order of mounting: what comes later lies on top.
  return [
    ...['--unshare-all', ...(network ? ['--share-net'] : []), '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...empty.flatMap((path) => ['--tmpfs', path]),
    // A system's resolver keeps its list of name servers below /run.
    ...(network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...directories
      .filter((path) => empty.some((root) => isBelow(path, root)))
      .flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', workDir, workDir, '--chdir', workDir, '--setenv', 'TMPDIR', '/tmp'],
  ]
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}

function unavailable(why: string): FencedError {
  return new FencedError({
    code: 'ISOLATION_UNAVAILABLE',
    message: `isolation: "bubblewrap" was asked for, but ${why} Nothing was run, and nothing is run without isolation instead.`,
  })
}
