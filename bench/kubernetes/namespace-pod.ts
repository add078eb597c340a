import { type ChildProcessByStdio, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** What is read of a request for a pod. */
interface PodBody {
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: object }
  readonly spec: {
    readonly securityContext: { readonly runAsUser: number }
    readonly containers: readonly [
      { readonly command: readonly string[]; readonly env: readonly { name: string; value: string }[] },
    ]
  }
}

/** Mounts the parts of a pod, and becomes its first process. Arguments: the root, the user, the command. */
const script = `set -e
root=$1 user=$2
shift 2
for name in usr etc dev; do mount --rbind "/$name" "$root/$name"; done
mount -t proc proc "$root/proc"
for name in tmp workspace home; do mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/$name"; done
mkdir -m 1777 "$root/home/user"
echo ready
exec /usr/sbin/chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$user" --clear-groups --pdeathsig KILL "$@"`

/** Root of the file system of each pod, in a separate mount namespace. */
export function podRoot(folder: string): string {
  const root = join(folder, 'root')
  for (const name of ['usr', 'etc', 'dev', 'proc', 'tmp', 'workspace', 'home'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  return root
}

/** A pod in namespaces of this machine, with separate processes and files, and real shells. */
export class NamespacePod {
  readonly name: string
  readonly description: object
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #body: PodBody

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>, body: PodBody) {
    this.#process = process
    this.#body = body
    this.name = body.metadata.name
    this.description = {
      metadata: { ...body.metadata, uid: randomUUID() },
      spec: body.spec,
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    }
  }

  static async start(root: string, body: unknown): Promise<NamespacePod> {
    const pod = body as PodBody
    const [{ command }] = pod.spec.containers
    const { runAsUser } = pod.spec.securityContext
    // Each ends with its parent. To become another user takes that away, so the script asks for it once more.
    const ending = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork']
    const words = command.map((word) => word.replaceAll('$$', '$'))
    const first = ['--propagation', 'private', '/bin/sh', '-c', script, 'sh', root, `${runAsUser}`, ...words]
    const child = spawn('setpriv', [...ending, ...first], {
      env: environment(pod),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return new NamespacePod(child, pod)
  }

  exec(command: readonly string[]): ChildProcessWithoutNullStreams {
    const user = `${this.#body.spec.securityContext.runAsUser}`
    const identity = ['--setuid', user, '--setgid', user]
    const inside = ['--mount', '--pid', '--root', ...identity, `--target=${this.#firstProcess}`, '--']
    return spawn('nsenter', [...inside, ...command], { env: environment(this.#body) })
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  get #firstProcess(): string {
    const { pid } = this.#process
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  }
}

function environment({ spec }: PodBody): Record<string, string> {
  const [{ env }] = spec.containers
  return { PATH: '/usr/bin:/bin', ...Object.fromEntries(env.map(({ name, value }) => [name, value])) }
}
