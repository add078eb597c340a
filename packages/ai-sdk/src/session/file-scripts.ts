import { text } from 'node:stream/consumers'
import { FencedError } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'

export type FoundPath =
  | {
      readonly type: 'file' | 'directory' | 'other'
      readonly size: number
      /** Where it leads, where it is a link. */
      readonly target?: string | undefined
    }
  | { readonly type: 'missing'; readonly isLink: boolean; readonly target?: string | undefined }

/** Answers about one absolute path. */
export interface FileLookups {
  stat(path: string, signal: AbortSignal | undefined): Promise<FoundPath>
  delete(path: string, signal: AbortSignal | undefined): Promise<'deleted' | 'missing' | 'directory'>
}

/** Small scripts for what a sandbox's files do not answer: they follow no link. */
export class FileScripts implements FileLookups {
  readonly #spawn: ExecutorSandbox['spawn']

  constructor(spawn: ExecutorSandbox['spawn']) {
    this.#spawn = spawn
  }

  /** Follows links. */
  async stat(path: string, signal: AbortSignal | undefined): Promise<FoundPath> {
    const { exitCode, stdout, reason } = await this.#run(statScript, { path, signal })
    if (exitCode !== 0) {
      if (isMissing(reason)) return { type: 'missing', isLink: false }
      throw failed(path, 'looked at', reason)
    }
    const [facts = '', ...rest] = stdout.split('\n')
    const target = rest.length > 1 ? rest.slice(0, -1).join('\n') : undefined
    if (facts === 'dangling') return { type: 'missing', isLink: true, target }
    const [kindAndMode = '', size = ''] = facts.split(' ')
    const bits = Number.parseInt(kindAndMode, 16)
    return { type: typeOf(bits), size: Number(size), target }
  }

  async delete(path: string, signal: AbortSignal | undefined): Promise<'deleted' | 'missing' | 'directory'> {
    const { exitCode, reason } = await this.#run(deleteScript, { path, signal })
    if (exitCode === 0) return 'deleted'
    if (exitCode === codes.missing || isMissing(reason)) return 'missing'
    if (exitCode === codes.directory) return 'directory'
    throw failed(path, 'deleted', reason)
  }

  async #run(
    script: string,
    { path, signal }: { readonly path: string; readonly signal: AbortSignal | undefined },
  ) {
    signal?.throwIfAborted()
    const process = await this.#spawn(['/bin/sh', '-c', script, 'sh', path], {
      cwd: '/',
      // Messages are read.
      env: { LC_ALL: 'C' },
      signal,
    })
    const [stdout, stderr, end] = await Promise.all([
      text(process.stdout),
      text(process.stderr),
      process.ended,
    ])
    if (end.kind === 'exited' && !end.wasStopped) {
      const words = stderr.trimEnd().split('\n').at(-1) ?? ''
      const reason = words.split(': ').at(-1) || `its process ended with exit code ${end.exitCode}`
      return { exitCode: end.exitCode, stdout, reason }
    }
    signal?.throwIfAborted()
    throw failed(path, 'reached', end.kind === 'exited' ? 'its process was stopped' : end.message)
  }
}

const codes = { missing: 100, directory: 101 } as const

/** Kind, permissions and size of what a path leads to, and where that is; with coreutils or BusyBox. */
const statScript = `
facts=$(stat -L -c '%f %s' "$1" 2>&1) || {
  [ -L "$1" ] || { echo "$facts" >&2; exit 1; }
  echo dangling
  # Not every readlink -f has an answer for a name that is not there yet.
  target=$(readlink "$1")
  cd "$(dirname "$1")" && cd "$(dirname "$target")" 2> /dev/null || exit 0
  name=$(basename "$target")
  [ -L "$name" ] || echo "$(pwd -P)/$name"
  exit 0
}
echo "$facts"
if [ -L "$1" ]; then readlink -f "$1"; fi
`

const deleteScript = `
[ -L "$1" ] || [ -e "$1" ] || exit ${codes.missing}
[ -d "$1" ] && [ ! -L "$1" ] && exit ${codes.directory}
exec rm -f "$1"
`

function isMissing(reason: string): boolean {
  return /^(No such file or directory|Not a directory)$/.test(reason)
}

function typeOf(bits: number): 'file' | 'directory' | 'other' {
  const kind = bits & 0o170000
  if (kind === 0o100000) return 'file'
  return kind === 0o040000 ? 'directory' : 'other'
}

function failed(path: string, verb: string, reason: string): FencedError {
  return new FencedError({
    code: 'FILE_REFUSED',
    message: `${JSON.stringify(path)} cannot be ${verb}: ${reason}.`,
    data: { path, reason },
  })
}
