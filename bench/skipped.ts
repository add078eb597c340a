import type { Row } from './row.ts'

/** Why something could not be measured here: what it needs is not there. */
export class Skipped extends Error {}

/** Its rows; none, and the reason said, when it is skipped. */
export async function rowsUnlessSkipped(
  name: string,
  measure: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    return await measure()
  } catch (error) {
    if (!(error instanceof Skipped)) throw error
    console.error(`${name} is skipped: ${error.message}`)
    return []
  }
}
