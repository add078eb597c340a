import type { TestFunctions } from '@fenced/core/testing'
import { describe, it } from 'vitest'

/**
 * Vitest's functions for a contract: its rows run side by side, a few at a time, because most of them wait. The faults,
 * which share one executor, run one after the other beside them.
 */
export const sideBySide: TestFunctions = {
  describe: (name, body) =>
    describe.concurrent(name, () => {
      if (name.endsWith('thirteen faults')) describe('one after the other', { concurrent: false }, body)
      else body()
    }),
  it,
}
