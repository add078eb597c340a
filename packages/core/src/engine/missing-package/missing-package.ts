import { stripVTControlCharacters } from 'node:util'
import { type Distribution, distributionOf } from './distribution-names.ts'

/** What a Python program could not import. */
export interface MissingPackage {
  /** As Python names it: `cv2`, `google.cloud.storage`. */
  readonly module: string
  readonly distribution: Distribution
}

/** The last line of a traceback. A module that "is not a package" is there; newer Pythons guess at other names. */
const lastLine = /^ModuleNotFoundError: No module named '(?<module>[^'\s]+)'(\. Did you mean: .*)?$/

/** What it was that ended a program for want of a package; `undefined` when it ended for another reason. */
export function findMissingPackage(output: string): MissingPackage | undefined {
  const end = stripVTControlCharacters(output.slice(-4_096)).trimEnd()
  const { module } = lastLine.exec(end.slice(end.lastIndexOf('\n') + 1))?.groups ?? {}
  if (module === undefined) return undefined
  const distribution = distributionOf(module)
  return distribution && { module, distribution }
}
