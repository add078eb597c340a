import type { MemoryUse } from '@fenced/core/sandbox'
import { shortened } from '@fenced/errors/text'
import { objectOf } from './session-cell.ts'

/** What a copy of Python lacks, by kind: names for a reader. See `python/session/state.py` and `repairs.py`. */
export type CopyLacks = Readonly<Partial<Record<LackKind, readonly string[]>>>

const lackKinds = [
  'connections',
  'locks',
  'memory',
  'deleted',
  'objects',
  'gpu',
  'threads',
  'pools',
  'busy',
  'libraries',
  'native',
] as const
type LackKind = (typeof lackKinds)[number]

/** How the keeper made a checkpoint. */
export interface MadeCheckpoint {
  readonly number: number
  readonly lacks: CopyLacks
  /** Checkpoints that were dropped to make room for files. */
  readonly dropped: readonly number[]
  /** Why there is no checkpoint. */
  readonly error: string | undefined
}

/** How the keeper went back to a checkpoint. */
export interface WentBack {
  /** `copy`: a copy of Python continues. `reload`: a new Python read the variables. `gone`: the checkpoint is not there, and nothing was done. */
  readonly way: 'copy' | 'empty' | 'reload' | 'lost' | 'gone'
  /** Names of variables that could not be read. */
  readonly lost: readonly string[]
  /** Why all are lost, if known. */
  readonly problem: string | undefined
  /** Files that could not be restored. `undefined` if no files were kept. */
  readonly failed: readonly string[] | undefined
  /** Commands of processes that still run. */
  readonly running: readonly string[]
  /** Whether the checkpoint is still there, because a copy of it continues. */
  readonly isKept: boolean
}

/** Memory of the checkpoints, and of the container, in bytes. */
export interface CheckpointMemory {
  readonly bytes: number
  readonly resident: number
  /** Whether checkpoints must give way when the container's memory is nearly used up. */
  readonly mustGiveWay: boolean
}

/** Longest name in a notice, in characters, and number of names. */
const maxNameLength = 100
const maxNames = 10
/** Part of the container's memory above which checkpoints are dropped where the kernel would end all processes together. */
const fullPart = 0.6

/** Reads the answer to an order for a checkpoint. The program can forge all of it. */
export function madeCheckpoint(body: string): MadeCheckpoint {
  const { number, lacks, dropped, error } = objectOf(body)
  const given = Object(lacks) as Record<string, unknown>
  const found = lackKinds.map((kind) => [kind, namesIn(given[kind])] as const)
  return {
    number: Number(number),
    lacks: Object.fromEntries(found.filter(([, names]) => names.length > 0)),
    dropped: Array.isArray(dropped) ? dropped.map(Number) : [],
    error: error === undefined ? undefined : shortened(String(error), maxNameLength),
  }
}

/** Reads the answer to an order to go back. */
export function wentBack(body: string | undefined): WentBack {
  const { way, lost, problem, failed, running, kept } = objectOf(body ?? '')
  const known = way === 'copy' || way === 'empty' || way === 'reload' || way === 'gone'
  return {
    way: known ? way : 'lost',
    lost: namesIn(lost),
    problem: typeof problem === 'string' ? shortened(problem, 2 * maxNameLength) : undefined,
    failed: failed === null ? undefined : namesIn(failed),
    running: namesIn(running),
    isKept: kept === true,
  }
}

/** @param measured - by the host, where programs in the sandbox cannot read it. */
export function checkpointMemory(body: string, measured: MemoryUse | undefined): CheckpointMemory {
  const { bytes, resident, used, limit, group, room } = objectOf(body)
  const { usedBytes, limitBytes, endsTogether } = measured ?? {
    usedBytes: typeof used === 'number' ? used : 0,
    limitBytes: typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY,
    endsTogether: group === true,
  }
  return {
    bytes: Number(bytes) || 0,
    resident: Number(resident) || 0,
    mustGiveWay: usedBytes > fullPart * limitBytes && (endsTogether || room === false),
  }
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.slice(0, maxNames).map((name) => shortened(String(name), maxNameLength))
    : []
}
