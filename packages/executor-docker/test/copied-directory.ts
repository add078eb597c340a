import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { runCommand } from '@fenced/sandbox/driver'
import type { Container, Engine } from '@fenced/sandbox-docker'
// @boundaries-ignore Tests check programs against it; no package exports it.
import type { CopyReport } from '../../sandbox/src/copy/copy-report.ts'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { DirectoryCopy, type DirectoryCopyOptions } from '../../sandbox/src/copy/directory-copy.ts'

export const inside = '/workspace'
export const owner = { uid: 1000, gid: 1000 }

/** A container like the executor's: it belongs to nobody, and the code to another user. */
export async function openTestContainer(engine: Engine, user = '65534:65534'): Promise<Container> {
  const request = {
    name: `fenced-test-copy-${randomBytes(6).toString('hex')}`,
    Image: 'fenced-test/python',
    Cmd: ['/bin/sh', '-c', 'while :; do sleep 1; done'],
    User: user,
    WorkingDir: '/',
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      AutoRemove: true,
      Mounts: [{ Type: 'volume' as const, Source: '', Target: inside }],
      Tmpfs: { '/tmp': '' },
    },
  }
  return engine.startContainer(request, { signal: AbortSignal.timeout(60_000) })
}

/** By name: the content of a file, `+` in front of it where it is executable, and `/` for a directory. */
export type Files = Readonly<Record<string, string>>

/** A working directory on this machine and its copy in a container. */
export class CopiedDirectory implements AsyncDisposable {
  readonly host = new HostWorkDirectory({ mountedAt: inside })
  readonly copy: DirectoryCopy
  readonly #backend: SandboxBackend

  private constructor(backend: SandboxBackend, options: Partial<DirectoryCopyOptions>) {
    this.#backend = backend
    this.copy = new DirectoryCopy({
      hostDirectory: this.host,
      backend,
      path: inside,
      owner,
      ...options,
    })
  }

  /** @param backend - what an earlier test left in it is removed. */
  static async open(
    backend: SandboxBackend,
    options: Partial<DirectoryCopyOptions> = {},
  ): Promise<CopiedDirectory> {
    const opened = new CopiedDirectory(backend, options)
    await opened.host.open()
    await opened.run('find . -mindepth 1 -type d -exec chmod u+rwx {} \\; ; find . -mindepth 1 -delete')
    return opened
  }

  /** Where it is on this machine. */
  at(name: string): string {
    return join(this.host.hostPath, name)
  }

  /** Runs a shell script in the container as the code would be run. */
  async run(script: string, ...args: string[]): Promise<string> {
    return this.#run(['/bin/sh', '-c', script, 'sh', ...args])
  }

  /** Runs a Python program in the container as the code would be run. */
  async python(program: string, ...args: string[]): Promise<string> {
    return this.#run(['python3', '-c', program, ...args])
  }

  async #run(command: [string, ...string[]]): Promise<string> {
    const signal = AbortSignal.timeout(60_000)
    const place = { backend: this.#backend, user: `${owner.uid}:${owner.gid}`, directory: inside }
    const end = await runCommand(place, { command, signal, maxOutputBytes: 2 ** 28 })
    if (end.exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${end.exitCode}: ${end.output}`)
    return end.output
  }

  /** Copies in as the executor does: what was removed here is removed in the container. */
  async in(signal = new AbortController().signal): Promise<readonly string[]> {
    const { removed } = await this.copy.copyIn({ signal })
    if (removed.length > 0) await this.run('rm -rf -- "$@"', ...removed)
    return removed
  }

  async out(signal = new AbortController().signal): Promise<CopyReport> {
    return this.copy.copyOut({ signal })
  }

  /** What is on this machine. */
  here(): Files {
    const entries = readdirSync(this.host.hostPath, { recursive: true, encoding: 'utf8' }).sort()
    return Object.fromEntries(entries.map((name) => [name, look(join(this.host.hostPath, name))]))
  }

  /** What is in the container. */
  async there(): Promise<Files> {
    return JSON.parse(await this.python(lookInside)) as Files
  }

  /** What the executor would report to have been created, changed and removed by `change`. */
  async changes(change: () => Promise<unknown>): Promise<string[]> {
    const before = (await this.host.list()) ?? new Map()
    await change()
    const after = (await this.host.list()) ?? new Map()
    const changed = [...after].filter(([name, { version }]) => before.get(name)?.version !== version)
    const removed = [...before.keys()].filter((name) => !after.has(name))
    return [...changed.map(([name]) => name), ...removed.map((name) => `-${name}`)].sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close()
  }
}

function look(path: string): string {
  const stat = lstatSync(path)
  if (stat.isDirectory()) return '/'
  if (!stat.isFile()) return '?'
  return `${stat.mode & 0o111 ? '+' : ''}${readFileSync(path, 'utf8')}`
}

const lookInside = `
import os, stat, json
files = {}
def walk(directory):
    for name in sorted(os.listdir(directory or '.')):
        path = os.path.join(directory, name)
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            files[path] = '/'
            walk(path)
        elif stat.S_ISREG(mode):
            files[path] = ('+' if mode & 0o111 else '') + open(path, newline='').read()
        else:
            files[path] = '?'
walk('')
print(json.dumps(files))
`
