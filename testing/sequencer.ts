import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { preparationsFor } from './preparations.ts'

/** Parts of the paths of files that take long, so that no worker begins one of them when the others are done. */
const long = [
  '/executor-docker/test/network-list.',
  '/executor-docker/test/engine-faults.',
  '/ssh-backend/ssh-executor.',
  '/executor-docker/test/directory-copy',
  '/executor-docker/test/sandbox.',
  '/executor-docker/test/host-tools.',
  '/executor-local/test/host-tools.',
  '/ai-sdk/test/faults/',
  '/executor-docker/test/contract',
  '/executor-kubernetes/test/',
  '/executor-docker/test/life.',
  '/executor-docker/test/secrets.',
  '/ai-sdk/test/executor-session/files.',
  '/ai-sdk/test/session/',
  '/python-env/test/docker-images.',
  '/executor-jupyter/test/docker-server',
  '/executor-jupyter/test/sandbox-server.',
  '/executor-jupyter/test/leaks.',
  '/executor-jupyter/test/local-server.',
  '/python-env/test/venv.',
  '/test/terminal/',
  '/python-env/test/venv',
  '/tests/pages.',
  '/web/test/browser.',
  '/cli/test/mcp.',
  '/executor-local/test/contract',
  '/executor-jupyter/test/',
  '/warm/warm',
  '/leftovers.',
  '/host/test/example/',
  '/demo/test/prompts.',
  '/demo/test/approve',
  '/python-env/test/',
  '/sandbox-local/test/',
  '/executor-docker/test/stopping.',
  '/executor-docker/test/backend.',
  '/ssh-backend/',
  '/executor-docker/test/warm',
  '/worst-inputs.',
  '/commonmark-agreement.',
  '/demo/test/answer.',
  '/demo/test/command-line.',
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
