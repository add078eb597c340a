import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { preparationsFor } from './preparations.ts'

/** Parts of the paths of files that take long, so that no worker begins one of them when the others are done. */
const long = [
  '/warm-and-cold.',
  '/leftovers.',
  '/executor-local/test/contract',
  '/executor-docker/test/contract',
  '/executor-docker/test/directory-copy',
  '/executor-docker/test/life.',
  '/test/terminal/',
  '/python-env/test/venv',
  '/executor-jupyter/test/leaks.',
  '/executor-jupyter/test/local-server.',
  '/demo/test/sandbox-session-files.',
  '/executor-jupyter/test/',
  '/python-env/test/',
  '/demo/test/approve',
]

/** Of what takes long, what needs something that is still made comes last; then comes what does not take long. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const byProject = Map.groupBy(sorted, ({ project }) => project.name)
    return [...byProject.values()].flatMap((ofProject) =>
      ofProject
        .map((file) => ({ file, rank: rankOf(file) }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ file }) => file),
    )
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const place = long.findIndex((part) => moduleId.includes(part))
  if (place === -1) return 2 * long.length
  const waits = preparationsFor(moduleId).some((preparation) => !preparation.isThere())
  return waits ? long.length + place : place
}
