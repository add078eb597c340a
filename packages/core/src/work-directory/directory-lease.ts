import { realpathSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { errorMessage, FencedError } from '@fenced/errors'
import type { Isolation } from '../vocabulary/isolation.ts'
import { type DirectoryIdentity, identityOf } from './directory-identity.ts'
import { type FoundLease, type LeaseKind, type LeaseRecord, liveLeases, writeLease } from './lease-folder.ts'
import { errorCode, ignoring } from './open-directory.ts'
import { temporaryName } from './temporary-directories.ts'

/** Options for {@link DirectoryLease}. */
export interface DirectoryLeaseOptions {
  /** The isolation of the programs in the directory. */
  readonly isolation: Isolation
  /**
   * Whether other executors may use the directory at the same time.
   *
   * @default false
   */
  readonly allowsShared?: boolean | undefined
  /**
   * Whether the programs run in a sandbox or on a server that takes its own lease.
   *
   * @default false
   */
  readonly isGuest?: boolean | undefined
}

/**
 * Keeps isolated programs out of the working directories of other executors. An isolated program could leave a module or a link
 * there, which a program without isolation would then run or follow, and it could exchange a directory that another sandbox is
 * about to mount. Executors without isolation share directories: none of them protects anything. A lease holds for all processes
 * of this user, until it is released or its process ends.
 */
export class DirectoryLease {
  readonly #kind: LeaseKind
  readonly #allowsShared: boolean
  readonly #isMounted: boolean
  readonly #isGuest: boolean
  #held: { readonly file: string; readonly identity: string } | undefined

  constructor({ isolation, allowsShared = false, isGuest = false }: DirectoryLeaseOptions) {
    this.#kind = isolation === 'none' ? 'open' : 'isolated'
    this.#allowsShared = allowsShared
    this.#isMounted = isolation === 'container' || isolation === 'vm'
    this.#isGuest = isGuest
  }

  /**
   * Takes the lease of a directory of this machine, or renews it when the directory has been recreated.
   *
   * @param isResumed - Whether the sandbox of another lease continues: both leases then belong to one sandbox.
   * @throws FencedError `WORK_DIR_SHARED`, `TEMP_DIR_UNUSABLE`.
   */
  take(path: string | undefined, { isResumed = false }: { readonly isResumed?: boolean } = {}): void {
    const identity = path === undefined ? undefined : ignoring('ENOENT', () => identityOf(path).id)
    if (path === undefined || identity === undefined || identity === this.#held?.identity) return
    this.release()
    const realPath = realpathSync.native(path)
    const record = {
      ...{ path: realPath, lineage: lineageOf(realPath) },
      ...{ allowsShared: this.#allowsShared, isGuest: this.#isGuest, isMounted: this.#isMounted },
    }
    const file = this.#write(record)
    if (file === undefined) return
    this.#held = { file, identity }
    // Write first, then compare: when two executors start at the same time, at least one finds the other.
    if (this.#allowsShared) return
    for (const other of this.#others()) {
      if (other.file === file || other.allowsShared || !this.#conflicts(record, other)) continue
      if (isResumed && other.kind === this.#kind && other.lineage[0]?.id === identity) continue
      this.release()
      throw this.#shared(path, other)
    }
  }

  release(): void {
    const file = this.#held?.file
    this.#held = undefined
    try {
      if (file !== undefined) rmSync(file, { force: true })
    } catch (error) {
      // This process has changed its user since. The lease ends with the process.
      if (!['EACCES', 'EPERM'].includes(errorCode(error))) throw error
    }
  }

  #write(record: LeaseRecord): string | undefined {
    try {
      return writeLease(this.#kind, record)
    } catch (cause) {
      if (this.#allowsShared) return undefined
      const reason = errorMessage(cause)
      throw new FencedError({
        code: 'TEMP_DIR_UNUSABLE',
        message: `Fenced could not record that the working directory ${record.path} is in use: ${reason}. Free space there, remove whatever is in the way, or set \`allowSharedWorkDir: true\`.`,
        data: { path: record.path, reason },
        cause,
      })
    }
  }

  *#others(): Generator<FoundLease> {
    yield* liveLeases('isolated')
    if (this.#kind === 'isolated') yield* liveLeases('open')
  }

  #conflicts(record: LeaseRecord, other: FoundLease): boolean {
    if (this.#kind === other.kind) {
      // The lease of its sandbox or server counts.
      if (record.isGuest || other.isGuest) return false
      return isIn(record, other)
        ? isSame(record, other) || isThere(other)
        : isIn(other, record) && isThere(other)
    }
    const [open, isolated] = this.#kind === 'open' ? [record, other] : [other, record]
    if (isIn(open, isolated)) return isSame(open, isolated) || isThere(other)
    // `/tmp` can be a working directory: programs do not find the random names of temporary directories below it by chance.
    if (!isIn(isolated, open) || temporaryName.test(basename(isolated.path))) return false
    return isSame(isolated, open) || isThere(other)
  }

  #shared(path: string, { kind, path: otherPath, processId }: FoundLease): FencedError {
    const other = kind === 'open' ? 'an executor without isolation' : 'an isolated executor'
    const danger = dangers[this.#kind === 'open' ? 'open' : kind === 'open' ? 'besideOpen' : 'isolated']
    return new FencedError({
      code: 'WORK_DIR_SHARED',
      message: `The working directory ${path} is in use by ${other} (process ${processId}, ${otherPath}). ${danger} Choose another directory, or set \`allowSharedWorkDir: true\` for one of them.`,
      data: {
        path,
        other: kind,
        processId: `${processId}`,
        otherPath,
      },
    })
  }
}

/** Reasons for refusing a directory: to an executor without isolation, to an isolated executor beside one, or beside its own kind. */
const dangers = {
  open: 'Its programs could leave files there that this executor would run without isolation.',
  besideOpen: 'It would run files that isolated programs leave there.',
  isolated: 'Programs of one sandbox could change the files and directories of the other.',
}

/** Whether the inner directory is the outer directory, or lies below it. */
function isIn(inner: LeaseRecord, outer: LeaseRecord): boolean {
  return sharedAncestor(inner, outer) !== undefined
}

/** Whether both leases mean the same directory. The inode of a removed directory can belong to a new one. */
function isSame(inner: LeaseRecord, outer: LeaseRecord): boolean {
  return sharedAncestor(inner, outer)?.born === outer.lineage[0]?.born
}

function sharedAncestor({ lineage }: LeaseRecord, outer: LeaseRecord): DirectoryIdentity | undefined {
  return lineage.find(({ id }) => id === outer.lineage[0]?.id)
}

/** Whether the directory is still at its path. `true` also when the check is not permitted. */
function isThere({ path, lineage }: LeaseRecord): boolean {
  try {
    return identityOf(path).id === lineage[0]?.id
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error))
  }
}

function lineageOf(path: string): DirectoryIdentity[] {
  const parent = dirname(path)
  return [identityOf(path), ...(parent === path ? [] : lineageOf(parent))]
}
