import { stripVTControlCharacters } from 'node:util'
import { type Distribution, distributionOf } from './distribution-names.ts'

/** A module that a Python program could not import. */
export interface MissingPackage {
  /** As Python names it: `cv2`, `google.cloud.storage`. */
  readonly module: string
  readonly distribution: Distribution
}

/** The last line of a traceback. A module that "is not a package" is there; newer Pythons guess at other names. */
const lastLine = /^ModuleNotFoundError: No module named '(?<module>[^'\s]+)'(\. Did you mean: .*)?$/

/** Length of the end of an output that can hold that line, in bytes. */
export const longestEndBytes = 16_384

/** Returns the package whose absence ended a program; `undefined` when it ended for a different reason. */
export function findMissingPackage(output: string): MissingPackage | undefined {
  const end = stripVTControlCharacters(output).trimEnd()
  const { module } = lastLine.exec(end.slice(end.lastIndexOf('\n') + 1))?.groups ?? {}
  if (module === undefined) return undefined
  const distribution = distributionOf(module)
  return distribution && { module, distribution }
}
