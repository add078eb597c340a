import type { BoundedResources, Isolation } from '@fenced/core'
import { isolationTexts } from '@fenced/core/internal'

export interface DescribedSession {
  readonly capabilities: {
    readonly isolation: Isolation
    /** `false` and `none` promise that commands reach no network. */
    readonly network: boolean | 'none' | 'custom' | 'open'
    readonly limits: BoundedResources
  }
  /** The working directory as commands see it; `undefined` where only a command can tell. */
  readonly directory: string | undefined
  /** Whether commands run one after the other, without standard input. */
  readonly isSequential?: boolean
}

/** Describes a session to a model, which relies on it: the text has only what holds for certain. */
export function sessionDescription({
  capabilities: { isolation, network, limits },
  directory,
  isSequential = false,
}: DescribedSession): string {
  const bounded = boundedWords.filter(([resource]) => limits[resource] === true).map(([, words]) => words)
  return [
    `Commands run in a shell ${isolationTexts[isolation]}${isSequential ? ', one at a time' : ''}.`,
    directory === undefined
      ? 'Each command starts in the working directory; `pwd` prints its path.'
      : `Each command starts in the working directory ${directory}.`,
    'Relative paths start there, and files there stay; variables and `cd` end with their command.',
    ...(isSequential ? ['A command cannot ask for input.'] : []),
    ...(network === false || network === 'none' ? ['There is no network.'] : []),
    ...(bounded.length === 0 ? [] : [`Limited: ${new Intl.ListFormat('en').format(bounded)}.`]),
  ].join(' ')
}

const boundedWords = [
  ['memory', 'memory'],
  ['processes', 'number of processes'],
  ['cpu', 'processor time'],
  ['disk', 'disk space'],
] as const satisfies readonly (readonly [keyof BoundedResources, string])[]
