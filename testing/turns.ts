import { spawnSync } from 'node:child_process'
import type { MissingRequirement } from '../packages/core/src/testing/requirement.ts'

/** One of how many runs, of the tests that take turns. */
const step = Math.max(1, Number(process.env.FENCED_TEST_EVERY ?? 1))

/**
 * Tests that take turns where `FENCED_TEST_EVERY` is more than 1: they repeat on a further engine, or in a further row of a
 * matrix, what tests that always run prove on the first, or they hold what seldom changes, or for a large amount. Each has a
 * part of a path and, where others of the file always run, what is in the names of those that take turns.
 */
const takingTurns: readonly (readonly [file: string, name?: RegExp])[] = [
  ['/executor-docker/test/contract-'],
  ['/executor-docker/test/directory-copy-'],
  ['/executor-docker/test/directory-copy.', /megabytes|\d files$|terabyte|whatever is done/],
  ['/executor-docker/test/sandbox.', /podman|copied files/],
  ['/executor-docker/test/backend.', /podman/],
  ['/executor-docker/test/host-tools.', /podman|remote|gVisor/],
  ['/executor-docker/test/network-list.', /podman|remote|gVisor/],
  ['/executor-docker/test/secrets.', /podman|remote|gVisor/],
  ['/executor-docker/test/engine-faults.', /^(?:nonsense for an answer|a connection that breaks)|seed 61$/],
  ['/executor-local/test/contract-'],
  ['/executor-local/test/contract.', /thirteen faults \((?:javascript|sh)\)/],
  ['/executor-local/test/host-tools.', /in bubblewrap|`warm: false`/],
  ['/executor-jupyter/test/contract-s'],
  ['/executor-jupyter/test/docker-server.'],
  ['/executor-jupyter/test/docker-server-unconnected.', /^(?!.* runs cells that reach nothing)/],
  ['/executor-jupyter/test/flood.', /server|in bubblewrap/],
  ['/executor-jupyter/test/host-tools.', /of a server/],
  ['/executor-jupyter/test/leaks.', /server/],
  [
    '/executor-jupyter/test/sandbox-server.',
    /^a server in a container.* > (?!has kernels that reach nothing)|^a server in bubblewrap.* > (?:runs|begins|notices|interrupts|takes)/,
  ],
  ['/executor-jupyter/test/stopping.', /of a server/],
  ['/executor-kubernetes/test/contract'],
  ['/executor-kubernetes/test/host-tools.', /hostile|of Node/],
  ['/executor-kubernetes/test/network-list.', /hostile.* > (?!nothing is reached)/],
  ['/executor-kubernetes/test/secrets.'],
  ['/sandbox-local/test/executor.', /thirteen faults/],
  ['/sandbox-local/test/process-files', /busybox/],
  ['/python-env/test/docker-images.'],
  ['/python-env/test/tool-docker.'],
  ['/ai-sdk/test/executor-session/', /copied directory/],
  ['/ai-sdk/test/session/', /^a container/],
  ['/ai-sdk/test/provider/identity.', /container/],
  ['/host/test/example/', /thirteen faults/],
  ['/ssh-backend/ssh-executor.'],
  ['/ai-sdk/test/faults/'],
  ['/demo/test/approved-executor.'],
  ['/installed/ai-versions.'],
  ['/installed/budgets.', / > (?!.* (?:bring|brings) )/],
  ['/installed/examples.'],
  ['/installed/first-example.', /compiles$|runs on Node (?:22|26)/],
  ['/installed/pi-harness.'],
  ['/installed/together.'],
]

/** Whether a test is left to other commits. Its name and the commit decide which, so that all come round. */
export function isOfAnotherTurn(file: string, name: string): boolean {
  if (step === 1) return false
  const takesTurns = takingTurns.some(([part, names]) => file.includes(part) && (names?.test(name) ?? true))
  return takesTurns && (sumOf(name) + commitNumber()) % step !== 0
}

export const anotherTurn: MissingRequirement = {
  name: 'another-turn',
  problem: `of tests that repeat others in a further row one in ${step} runs; the commit decides which`,
}

function sumOf(name: string): number {
  return [...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0)
}

let number: number | undefined

/** 0 where it is not known. */
function commitNumber(): number {
  if (number === undefined) {
    const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
    number = Number.parseInt((stdout ?? '').slice(0, 8), 16) || 0
  }
  return number
}
