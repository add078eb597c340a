import { isolationTexts } from '@fenced/core/internal'
import type { ExecutorSandbox } from '@fenced/core/sandbox'

interface DescribedSandbox extends Pick<ExecutorSandbox, 'directory'> {
  readonly capabilities: Pick<ExecutorSandbox['capabilities'], 'isolation' | 'network' | 'limits'>
}

/** Describes a session to a model, which relies on it: the text has only what holds for certain. */
export function sessionDescription({
  capabilities: { isolation, network, limits },
  directory,
}: DescribedSandbox): string {
  const bounded = boundedWords.filter(([resource]) => limits[resource] === true).map(([, words]) => words)
  return [
    `Commands run in a shell ${isolationTexts[isolation]}.`,
    `Each command starts in the working directory ${directory}.`,
    'Relative paths start there, and files there stay; variables and `cd` end with their command.',
    ...(network === 'none' ? ['There is no network.'] : []),
    ...(bounded.length === 0 ? [] : [`Limited: ${new Intl.ListFormat('en').format(bounded)}.`]),
  ].join(' ')
}

const boundedWords = [
  ['memory', 'memory'],
  ['processes', 'number of processes'],
  ['cpu', 'processor time'],
  ['disk', 'disk space'],
] as const satisfies readonly (readonly [keyof ExecutorSandbox['capabilities']['limits'], string])[]
