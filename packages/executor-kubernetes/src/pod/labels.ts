import { randomBytes } from 'node:crypto'
import { type ProcessOwner, thisOwner } from '@fenced/shared'
import type { HostPod } from './host-pod.ts'

const prefix = 'fenced.dev'

const names = {
  managedBy: 'app.kubernetes.io/managed-by',
  realm: `${prefix}/realm`,
  processId: `${prefix}/process-id`,
  processStart: `${prefix}/process-start`,
  expires: `${prefix}/expires`,
  detached: `${prefix}/detached`,
  madeFrom: `${prefix}/made-from`,
} as const

/** Selects everything that Fenced makes; for a NetworkPolicy. */
const managedBy = 'fenced'

/** What every pod of this process bears, so that it can be removed when the process has ended. */
export function ownerLabels({ realm, processId }: ProcessOwner = thisOwner()): Record<string, string> {
  return { [names.managedBy]: managedBy, [names.realm]: realm, [names.processId]: `${processId}` }
}

export function isDetached(labels: Readonly<Record<string, string>> = {}): boolean {
  return labels[names.detached] === 'true'
}

export function isMadeFrom(annotations: Readonly<Record<string, string>> = {}, hash: string): boolean {
  return annotations[names.madeFrom] === hash
}

/** What ends a pod besides its own limits. */
export interface PodEnd {
  /** Hash of the options of a pod that outlives this process. */
  readonly hash?: string | undefined
  /** The pod of this program, where it runs in one. A pod that outlives this process also outlives that pod. */
  readonly host?: HostPod | undefined
}

/**
 * The metadata of a pod or claim of this process, by which it can be removed when it or the process has ended.
 *
 * @param expires - when it ends at the latest, for people.
 */
export function ownMetadata({ hash, host }: PodEnd, expires: string | undefined) {
  const { realm, processStart } = thisOwner()
  const detached = { [names.managedBy]: managedBy, [names.realm]: realm, [names.detached]: 'true' }
  return {
    name: `fenced-${randomBytes(8).toString('hex')}`,
    labels: hash === undefined ? ownerLabels() : detached,
    annotations: {
      // It does not fit into a label.
      [names.processStart]: processStart,
      ...(expires === undefined ? {} : { [names.expires]: expires }),
      ...(hash === undefined ? {} : { [names.madeFrom]: hash }),
    },
    ...(hash === undefined && host !== undefined ? { ownerReferences: [host] } : {}),
  }
}

/** Finds what processes of this machine and user made. */
export function realmSelector(): string {
  return `${names.managedBy}=${managedBy},${names.realm}=${thisOwner().realm}`
}

export function ownerOf(
  labels: Readonly<Record<string, string>> = {},
  annotations: Readonly<Record<string, string>> = {},
): ProcessOwner {
  return {
    realm: labels[names.realm] ?? '',
    processId: Number(labels[names.processId]),
    processStart: annotations[names.processStart] ?? '',
  }
}
