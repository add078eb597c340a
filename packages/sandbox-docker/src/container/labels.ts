import { createHash } from 'node:crypto'
import { type ProcessOwner, thisOwner } from '@fenced/host'

const names = {
  realm: 'fenced.owner.realm',
  processId: 'fenced.owner.process-id',
  processStart: 'fenced.owner.process-start',
  hostContainer: 'fenced.owner.container',
  temporaryDirectory: 'fenced.temporary-directory',
  configuration: 'fenced.configuration',
  request: 'fenced.request',
  preparedFrom: 'fenced.prepared-from',
  initCommand: 'fenced.init-command',
} as const

export type Labels = Record<string, string>

/** What everything that this process makes in an engine bears, so that it can be removed when the process is gone. */
export function ownerLabels({ realm, processId, processStart }: ProcessOwner = thisOwner()): Labels {
  return {
    [names.realm]: realm,
    [names.processId]: `${processId}`,
    [names.processStart]: processStart,
  }
}

/** What a container bears whose working directory on this machine goes when the container goes. */
export function temporaryDirectoryLabel(path: string): Labels {
  return { [names.temporaryDirectory]: path }
}

/** What a container bears that outlives its process, to be known again. */
export function configurationLabel(hash: string): Labels {
  return { [names.configuration]: hash }
}

/** Identifies the container of one request among all containers of its name. */
export function requestLabel(id: string): Labels {
  return { [names.request]: id }
}

/** Finds all that a process of Fenced has made and that ends with it. */
export const ownedFilter = names.processId

/** What it bears where that process runs in a container of the same engine. */
export function hostContainerLabel(name: string | undefined): Labels {
  return name === undefined ? {} : { [names.hostContainer]: name }
}

export function hostContainerOf(labels: Labels): string | undefined {
  return labels[names.hostContainer]
}

export function ownerOf(labels: Labels): ProcessOwner {
  return {
    realm: labels[names.realm] ?? '',
    processId: Number(labels[names.processId]),
    processStart: labels[names.processStart] ?? '',
  }
}

export function temporaryDirectoryOf(labels: Labels): string | undefined {
  return labels[names.temporaryDirectory]
}

export function configurationOf(labels: Labels): string | undefined {
  return labels[names.configuration]
}

/** What a container of a prepared image bears: the image before that. */
export function preparedFromLabel(imageId: string): Labels {
  return { [names.preparedFrom]: imageId }
}

export function preparedFromOf(labels: Labels): string | undefined {
  return labels[names.preparedFrom]
}

/** Tells containers in which different commands were run first apart. A hash: every user of the engine can read labels. */
export function initCommandLabel(command: string): Labels {
  return { [names.initCommand]: createHash('sha256').update(command).digest('hex') }
}
