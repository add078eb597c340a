import { createHash } from 'node:crypto'
import { thisOwner } from '@fenced/shared'

export type Labels = Record<string, string>

/** Labels of containers and images by which processes of Fenced know them again. */
export const labelNames = {
  realm: 'fenced.owner.realm',
  processId: 'fenced.owner.process-id',
  processStart: 'fenced.owner.process-start',
  /** The container of the same engine in which the owner runs. */
  hostContainer: 'fenced.owner.container',
  /** Working directory on this machine that is removed together with the container. */
  temporaryDirectory: 'fenced.temporary-directory',
  /** Hash of the request for a container that outlives its process. */
  configuration: 'fenced.configuration',
  /** Identifies the container of one request among all containers of its name. */
  request: 'fenced.request',
  /** Id of the original image of a prepared image. */
  preparedFrom: 'fenced.prepared-from',
  initCommand: 'fenced.init-command',
} as const

/** A process by what labels say about it. */
interface Owner {
  readonly realm: string
  readonly processId: number
  readonly processStart: string
}

/** What everything that this process makes in an engine bears, so that it can be removed when the process is gone. */
export function ownerLabels({ realm, processId, processStart }: Owner = thisOwner()): Labels {
  return {
    [labelNames.realm]: realm,
    [labelNames.processId]: `${processId}`,
    [labelNames.processStart]: processStart,
  }
}

export function ownerOf(labels: Labels): Owner {
  return {
    realm: labels[labelNames.realm] ?? '',
    processId: Number(labels[labelNames.processId]),
    processStart: labels[labelNames.processStart] ?? '',
  }
}

/** Tells containers in which different commands were run first apart. A hash: every user of the engine can read labels. */
export function initCommandLabel(command: string): Labels {
  return { [labelNames.initCommand]: createHash('sha256').update(command).digest('hex') }
}
