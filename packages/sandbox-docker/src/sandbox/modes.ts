import type { Engine } from '../engine.ts'

/** By a mount that both sides see, or by copying before and after every block. */
export type WorkDirectoryMode = 'bind' | 'copy'

/** The ways in which a working directory may get into a container, best first. */
export function workDirectoryModes(
  wanted: WorkDirectoryMode | 'auto',
  { isLocal }: Pick<Engine, 'isLocal'>,
): readonly WorkDirectoryMode[] {
  if (wanted !== 'auto') return [wanted]
  return isLocal ? ['bind', 'copy'] : ['copy']
}
