import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatOwner, isOwnerGone, type ProcessOwner, parseOwner, thisOwner } from '../process-owner.ts'
import { ignoring } from './open-directory.ts'

/** Whether the programs in a working directory are isolated from this machine. */
export type LeaseKind = 'isolated' | 'open'

/** A directory, however it is named now. */
export interface DirectoryIdentity {
  /** Device and inode. */
  readonly id: string
  /** When it was made, because another directory can get its inode later. Not every file system knows it. */
  readonly born: string
}

/** What a lease says about a working directory. */
export interface LeaseRecord {
  /** The real path. */
  readonly path: string
  /** The directory and all directories above it. */
  readonly lineage: readonly DirectoryIdentity[]
  /** Whether its executor accepts executors of the other kind in the same directory. */
  readonly allowsShared: boolean
}

/** A lease of a process that may still run. */
export interface FoundLease extends LeaseRecord {
  readonly processId: number
}

const leaseName = /^(.+)-[0-9a-f]{16}$/

let hasSwept = false

/**
 * Writes a lease. The first call of a process also removes leases whose process has ended.
 *
 * @returns the path of its file.
 * @throws the error of the system when the file cannot be written.
 */
export function writeLease(kind: LeaseKind, record: LeaseRecord): string {
  const folder = folderOf(kind)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!hasSwept) {
    hasSwept = true
    for (const each of ['isolated', 'open'] as const) for (const _ of liveLeases(each));
  }
  const path = join(folder, `${formatOwner(thisOwner())}-${randomBytes(8).toString('hex')}`)
  writeFileSync(path, JSON.stringify(record), { flag: 'wx', mode: 0o600 })
  return path
}

/** The leases of one kind whose process may still run. Removes all others. */
export function* liveLeases(kind: LeaseKind): Generator<FoundLease> {
  const folder = folderOf(kind)
  for (const name of ignoring('ENOENT', () => readdirSync(folder)) ?? []) {
    const owner = parseOwner(leaseName.exec(name)?.[1] ?? '')
    if (owner === undefined) continue
    const path = join(folder, name)
    if (isGone(owner)) {
      rmSync(path, { force: true })
      continue
    }
    const record = readLease(path)
    if (record !== undefined) yield { ...record, processId: owner.processId }
  }
}

/** `undefined` when it was released meanwhile, or is being written: its process then looks for other leases later. */
function readLease(path: string): LeaseRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(record?.lineage) ? record : undefined
  } catch {
    return undefined
  }
}

/** Leases lie on this machine, so one of an earlier boot is stale, also where the name of the machine has changed. */
function isGone(owner: ProcessOwner): boolean {
  const [boot] = owner.processStart.split(' ')
  const [thisBoot] = thisOwner().processStart.split(' ')
  return isOwnerGone(owner) || (boot !== '' && thisBoot !== '' && boot !== thisBoot)
}

/**
 * All processes of a user must find the same folder, so `TMPDIR` counts only where `/tmp` cannot be used.
 *
 * @throws an error for a folder that another user has made.
 */
function folderOf(kind: LeaseKind): string {
  const userId = process.getuid?.()
  const folder = join(temporaryFolder(), `fenced-leases-${userId ?? 'user'}`)
  ignoring('EEXIST', () => mkdirSync(folder, { mode: 0o700 }))
  const stat = lstatSync(folder)
  const isOurs = userId === undefined || (stat.uid === userId && (stat.mode & 0o077) === 0)
  if (!stat.isDirectory() || !isOurs) throw new Error(`${folder} is not a private directory of this user`)
  return join(folder, kind)
}

function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir()
  try {
    accessSync('/tmp', constants.W_OK | constants.X_OK)
    return '/tmp'
  } catch {
    return tmpdir()
  }
}
