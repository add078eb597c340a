import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { preparationsFor } from './preparations.ts'

/** Vitest's own order (what failed, what took long, else what is large), but last what needs something that is still made. */
export class PreparedLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter((file) => !waits(file)), ...sorted.filter(waits)]
  }
}

function waits({ moduleId }: TestSpecification): boolean {
  return preparationsFor(moduleId).some((preparation) => !preparation.isThere())
}
