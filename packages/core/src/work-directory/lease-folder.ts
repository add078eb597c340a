import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { formatOwner, isOwnerGone, type ProcessOwner, parseOwner, thisOwner } from '@fenced/shared'
import type { DirectoryIdentity } from './directory-identity.ts'
import { ignoring } from './open-directory.ts'
import { removeTemporaryFiles, temporaryFileTag } from './temporary-files.ts'

/** Whether the programs in a working directory are isolated from this machine. */
export type LeaseKind = 'isolated' | 'open'

/** Content of a lease on a working directory. */
export interface LeaseRecord {
  /** The real path. */
  readonly path: string
  /** The directory and all directories above it. */
  readonly lineage: readonly DirectoryIdentity[]
  /** Whether its executor accepts other executors in the same directory. */
  readonly allowsShared: boolean
  /** Whether a container may have it mounted. */
  readonly isMounted?: boolean
  /** Whether its programs run in a sandbox or on a server that has its own lease. */
  readonly isGuest: boolean
}

/** A lease of a process that may still run. */
export interface FoundLease extends LeaseRecord {
  readonly kind: LeaseKind
  readonly processId: number
  readonly file: string
}

/** A lease as its file holds it. */
interface WrittenLease extends LeaseRecord {
  /** Of the temporary files of its process. Absent where another version wrote it. */
  readonly temporaryFileTag?: unknown
}

/** The folder of leases whose process was killed while a container had their directory mounted. */
const leftMounted = 'left-mounted'

const leaseName = /^(.+)-[0-9a-f]{16}$/

/**
 * Writes a lease. Leases whose process has ended are removed before, together with the temporary files that such a process has left
 * in its working directory.
 *
 * @returns the path of its file.
 * @throws the error of the system when the file cannot be written.
 */
export function writeLease(kind: LeaseKind, record: LeaseRecord): string {
  const folder = folderOf(kind)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const self = thisOwner()
  const owner = formatOwner(self)
  for (const each of [folder, folderOf(kind === 'open' ? 'isolated' : 'open')]) {
    for (const name of namesIn(each)) if (!name.startsWith(`${owner}-`)) removeIfStale(each, name, self)
  }
  const path = join(folder, `${owner}-${randomBytes(8).toString('hex')}`)
  const written: WrittenLease = { ...record, temporaryFileTag }
  writeFileSync(path, JSON.stringify(written), { flag: 'wx', mode: 0o600 })
  return path
}

/** The leases of one kind whose process may still run. Removes all others. */
export function* liveLeases(kind: LeaseKind): Generator<FoundLease> {
  const self = thisOwner()
  const folder = folderOf(kind)
  for (const name of namesIn(folder)) {
    const owner = removeIfStale(folder, name, self)
    const file = join(folder, name)
    const record = owner === undefined ? undefined : readLease(file)
    if (owner === undefined || record === undefined) continue
    const { path, lineage, allowsShared, isGuest } = record
    yield { kind, path, lineage, allowsShared, isGuest, processId: owner.processId, file }
  }
}

function namesIn(folder: string): string[] {
  return ignoring('ENOENT', () => readdirSync(folder)) ?? []
}

/** Returns the owner of a lease whose process may still run. */
function removeIfStale(folder: string, name: string, self: ProcessOwner): ProcessOwner | undefined {
  const owner = parseOwner(leaseName.exec(name)?.[1] ?? '')
  if (owner === undefined || !isGone(owner, self)) return owner
  const file = join(folder, name)
  const { path, lineage, isMounted, temporaryFileTag: tag } = readLease(file) ?? {}
  const identity = lineage?.[0]
  if (path !== undefined && identity !== undefined && typeof tag === 'string' && isTag.test(tag))
    removeTemporaryFiles(path, identity, tag)
  if (isMounted === true) keepFor(leftMounted, file)
  else rmSync(file, { force: true })
  return undefined
}

/**
 * Directories that a container had mounted when its host was killed: what the host would have done there at its end is left to do.
 * Calling `forget` says that it was done.
 */
export function* directoriesLeftMounted(): Generator<LeaseRecord & { forget(): void }> {
  const self = thisOwner()
  const isolated = folderOf('isolated')
  for (const name of namesIn(isolated)) removeIfStale(isolated, name, self)
  const folder = folderOf(leftMounted)
  for (const name of namesIn(folder)) {
    const file = join(folder, name)
    const record = readLease(file)
    const forget = () => rmSync(file, { force: true })
    if (record === undefined) forget()
    else yield { ...record, forget }
  }
}

/** Another process may have moved it already. */
function keepFor(folder: typeof leftMounted, file: string): void {
  mkdirSync(folderOf(folder), { recursive: true, mode: 0o700 })
  ignoring('ENOENT', () => renameSync(file, join(folderOf(folder), basename(file))))
}

const isTag = /^[0-9a-f]{8}$/

/** `undefined` when it was released meanwhile, or is being written: its process then looks for other leases later. */
function readLease(path: string): WrittenLease | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(record?.lineage) ? record : undefined
  } catch {
    return undefined
  }
}

/** Leases lie on this machine, so one of an earlier boot is stale, also where the name of the machine has changed. */
function isGone(owner: ProcessOwner, self: ProcessOwner): boolean {
  const [boot] = owner.processStart.split(' ')
  const [thisBoot] = self.processStart.split(' ')
  return isOwnerGone(owner, self.realm) || (boot !== '' && thisBoot !== '' && boot !== thisBoot)
}

/**
 * All processes of a user must find the same folder, so `TMPDIR` counts only where `/tmp` cannot be used.
 *
 * @throws an error for a folder that another user has made.
 */
function folderOf(kind: LeaseKind | typeof leftMounted): string {
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
