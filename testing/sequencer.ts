import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { preparationsFor } from './preparations.ts'

/** Runs the tests that need something that is still made last. */
export class PreparedLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) =>
      preparationsFor(moduleId).some((preparation) => !preparation.isThere())
    return [...sorted.filter((file) => !waits(file)), ...sorted.filter(waits)]
  }
}
