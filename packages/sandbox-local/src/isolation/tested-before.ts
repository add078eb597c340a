import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { writableThrough } from '@fenced/core/internal'

/** After this time a test is repeated, in milliseconds. */
const longestMs = 30 * 86_400_000

/**
 * Remembers for this user that a test passed, so that a process need not repeat what an earlier one has seen. It counts only under the
 * same conditions: the facts of the test, the boot of the kernel, and the namespaces, rights and control groups of this process. A
 * sandbox that cannot be made after all says so itself, runs nothing, and is forgotten.
 */
export class TestedBefore {
  readonly #path: string | undefined

  /** @param facts - what the test depends on, as JSON. */
  constructor(facts: object) {
    try {
      const text = JSON.stringify([facts, conditions()])
      const folder = ownFolder()
      if (folder !== undefined) this.#path = join(folder, createHash('sha256').update(text).digest('hex'))
    } catch {
      // Without /proc or a home, everything is tested.
    }
  }

  get hasPassed(): boolean {
    return this.#path !== undefined && existsSync(this.#path)
  }

  remember(): void {
    this.#change((path) => {
      const old = Date.now() - longestMs
      remove(dirname(path), (file) => statSync(file).mtimeMs < old)
      writeFileSync(path, '', { mode: 0o600 })
    })
  }

  /** Forgets all tests: where one of them is no longer true, others may not be. */
  forget(): void {
    this.#change((path) => remove(dirname(path), () => true))
  }

  #change(act: (path: string) => void): void {
    try {
      if (this.#path !== undefined) act(this.#path)
    } catch {
      // Then it is tested again.
    }
  }
}

/** In the home of the user that this process is, into which only this user writes: not by HOME, which `sudo` leaves as it was. */
function ownFolder(): string | undefined {
  const { homedir, uid } = userInfo()
  const path = join(homedir, '.cache/fenced/tested')
  if (writableThrough(path) !== undefined) return undefined
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const stat = lstatSync(path)
  return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o022) === 0 ? path : undefined
}

function remove(directory: string, isIncluded: (path: string) => boolean): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (isIncluded(path)) rmSync(path, { force: true })
  }
}

/** Identifies a file by its place on the disk, size and time of change. A replaced file has another identity. */
export function fileIdentity(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return `${path}:${stat?.dev}:${stat?.ino}:${stat?.size}:${stat?.ctimeNs}`
}

const namespaces = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts']

/** Settings of the kernel that decide whether a user may make namespaces. Not every kernel has each of them. */
const settings = [
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  '/proc/sys/user/max_user_namespaces',
  '/proc/self/attr/current',
]

function conditions(): object {
  const status = readFileSync('/proc/self/status', 'latin1')
  return {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
    namespaces: namespaces.map((name) => readlinkSync(`/proc/self/ns/${name}`)),
    rights: status.match(/^(?:Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):.*$/gm),
    controlGroups: readFileSync('/proc/self/cgroup', 'latin1'),
    settings: settings.map(contentOf),
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
