import { type ProcessOwner, thisOwner } from '@fenced/core/internal'

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

/** What a pod bears that outlives its process, so that it can be removed when it has ended. */
export function detachedLabels(): Record<string, string> {
  return { [names.managedBy]: managedBy, [names.realm]: thisOwner().realm, [names.detached]: 'true' }
}

export function isDetached(labels: Readonly<Record<string, string>> = {}): boolean {
  return labels[names.detached] === 'true'
}

/** By what a pod that outlives its process is known to be of the same options. */
export function madeFromAnnotation(hash: string): Record<string, string> {
  return { [names.madeFrom]: hash }
}

export function isMadeFrom(annotations: Readonly<Record<string, string>> = {}, hash: string): boolean {
  return annotations[names.madeFrom] === hash
}

/** What does not fit into a label; when the pod ends at the latest, for people. */
export function ownerAnnotations(expiresAt: Date | undefined): Record<string, string> {
  return {
    [names.processStart]: thisOwner().processStart,
    ...(expiresAt === undefined ? {} : { [names.expires]: expiresAt.toISOString() }),
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
