import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findProgram } from '@fenced/host'
import { isIn } from './path-in.ts'

/** open(2): a descriptor that names an entry and needs no right to read it. Node does not know the number. */
const O_PATH = 0o10000000

/** A path that bubblewrap mounts. */
export interface MountedPath {
  /** As programs name it. */
  readonly path: string
  /** Without links. Default: resolved when it is opened. */
  readonly realPath?: string | undefined
}

/**
 * Files and directories that this process opens before bubblewrap mounts them. Bubblewrap resolves paths again, `/proc/self/fd` too,
 * and programs of another sandbox could have put a link there by then. So each mount is compared in the sandbox with the opened file.
 * The file stays open until the process has ended, because another file could get its inode.
 */
export class OpenedPaths implements Disposable {
  readonly #opened: readonly OpenedPath[]

  /** A path that cannot be opened, or through a link only, has no identity, so its mount is refused. */
  constructor(paths: readonly MountedPath[]) {
    this.#opened = paths.map(open)
  }

  /** The path without links, and the identity that its mount must have. */
  get(path: string): { readonly realPath: string; readonly identity: string } {
    const { realPath = path, identity = '' } = this.#opened.find((each) => each.path === path) ?? {}
    return { realPath, identity }
  }

  /** A command for the sandbox that compares the mounts and then becomes `command`. Proof goes to a descriptor below 10. */
  compare(command: readonly string[], { stat, proof }: { stat: string; proof: number }): string[] {
    const paths = this.#opened.map(({ path }) => quoted(path))
    const identities = this.#opened.map(({ identity }) => identity)
    const script = `
[ "$(${quoted(stat)} -c %d:%i -- ${paths.join(' ')})" = ${quoted(identities.join('\n'))} ] || {
  echo ${quoted(exchanged(this.#opened.map(({ path }) => path)))} >&2
  exit 1
}
echo ${quoted(provenMounts)} >&${proof}
exec ${proof}>&- "$@"`
    return ['/bin/sh', '-c', script, 'fenced-mounts', ...command]
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#opened) if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Reported when the mounts are those that were opened. */
export const provenMounts = '"mounts"'

interface OpenedPath extends MountedPath {
  readonly identity: string
  readonly descriptor?: number
}

function open({ path, realPath }: MountedPath): OpenedPath {
  let descriptor: number | undefined
  try {
    const expected = realPath ?? realpathSync.native(path)
    descriptor = openSync(expected, O_PATH | constants.O_NOFOLLOW)
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== expected) throw new Error('a link leads elsewhere')
    const { dev, ino } = fstatSync(descriptor, { bigint: true })
    return { path, realPath: expected, identity: `${dev}:${ino}`, descriptor }
  } catch {
    // Also where there are too few descriptors.
    if (descriptor !== undefined) closeSync(descriptor)
    return { path, realPath, identity: '' }
  }
}

/** The program `stat` at a path that programs see. Elsewhere than usual, a link can lead there. */
export function findStat(visible: readonly string[]): string | undefined {
  const usual = ['/usr/bin/stat', '/bin/stat'].find((path) => existsSync(path))
  if (usual !== undefined) return usual
  let path = findProgram('stat')
  try {
    while (path !== undefined && !visible.some((root) => isIn(path as string, root)))
      path = resolve(dirname(path), readlinkSync(path))
  } catch {
    return undefined
  }
  return path
}

function exchanged(paths: readonly string[]): string {
  return `fenced: one of these was replaced while the sandbox was created: ${paths.join(', ')}`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
