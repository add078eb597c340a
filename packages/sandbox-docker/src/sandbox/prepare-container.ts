import { FencedError } from '@fenced/core'
import { HostWorkDirectory } from '@fenced/core/driver'
import { executorSandbox, type SandboxBackend, type SandboxPreparation } from '@fenced/core/sandbox'
import { SupervisedSandbox } from '@fenced/sandbox'
import { runCommand } from '@fenced/sandbox/driver'
import type { Container } from '../container/container.ts'
import type { ContainerPlan } from './container-plan.ts'
import { workingDirectoryInside } from './sandbox-options.ts'
import { helperUser, home, programEnvironment } from './sandbox-request.ts'

/** Where the working directory of a preparation is in its image: what is mounted over it would hide it. */
const keptWorkingDirectory = '/.fenced-workspace'

/**
 * Directories that are mounts elsewhere, and here a part of the container, so that what is written there is kept. Podman's root may
 * not be written to by root itself, which has no capabilities here.
 */
const makeDirectories = `[ -w / ] || chmod u+w /
mkdir -p ${workingDirectoryInside} ${home} /tmp || exit 1
chmod 1777 ${workingDirectoryInside} ${home} /tmp || :`

const keepWorkingDirectory = `rm -rf ${keptWorkingDirectory} && mv ${workingDirectoryInside} ${keptWorkingDirectory}`

/** Existing entries are kept: the directory may have been used before. */
const bringWorkingDirectory = `cd ${keptWorkingDirectory} || exit 1
for entry in * .[!.]* ..?*; do
  [ -e "$entry" ] || [ -L "$entry" ] || continue
  there=${workingDirectoryInside}/$entry
  [ -e "$there" ] || [ -L "$there" ] || cp -a "$entry" ${workingDirectoryInside}/ || exit 1
done`

/** What is done in a container, and what ends it. */
export interface PreparationWork {
  readonly preparation: SandboxPreparation
  readonly signal: AbortSignal
}

/** Does the work of a preparation in a container that was made for it, and leaves its files there as an image is to have them. */
export async function prepareIn(
  container: Container,
  plan: ContainerPlan,
  { preparation, signal }: PreparationWork,
): Promise<void> {
  await runScript(container, { script: makeDirectories, user: '0:0', signal })
  const { user, settings } = plan
  await using sandbox = new SupervisedSandbox({
    name: 'docker',
    ...{ capabilities: plan.capabilities, network: plan.network },
    workDirectory: new HostWorkDirectory({ mountedAt: workingDirectoryInside }),
    killGraceMs: settings.killGraceMs,
    launch: async () => ({
      id: container.id,
      ...{ user, helperUser },
      backend: withEnvironment(container, programEnvironment(plan)),
      initCommand: settings.initCommand,
      isExclusive: true,
      outlivesStop: true,
      startsAhead: false,
    }),
  })
  await sandbox.start({ signal })
  await preparation.prepare(executorSandbox(sandbox), { signal })
  await sandbox.stop()
  await runScript(container, { script: keepWorkingDirectory, user: '0:0', signal })
}

/** Copies the files of a preparation from its working directory into the mounted working directory of a container. */
export async function bringPreparedFiles(
  container: Container,
  { user }: Pick<ContainerPlan, 'user'>,
  signal: AbortSignal,
): Promise<void> {
  await runScript(container, { script: bringWorkingDirectory, user, signal })
}

/** The same container, with variables for all that is started in it: they are no part of the container, nor of its image. */
function withEnvironment(container: Container, variables: Readonly<Record<string, string>>): SandboxBackend {
  return {
    where: container.where,
    maxRestMs: container.maxRestMs,
    exec: (command, options) =>
      container.exec(command, { ...options, env: { ...variables, ...options.env } }),
    put: (directory, archive, options) => container.put(directory, archive, options),
    get: (path, options) => container.get(path, options),
    state: () => container.state(),
    remove: (options) => container.remove(options),
  }
}

async function runScript(
  container: Container,
  { script, user, signal }: { readonly script: string; readonly user: string; readonly signal: AbortSignal },
): Promise<void> {
  const target = { backend: container, user, directory: '/' }
  const command = ['/bin/sh', '-c', script] as const
  const { exitCode, output } = await runCommand(target, { command, signal, excess: 'keep-end' })
  if (exitCode === 0) return
  throw new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The prepared files could not be moved in the container (exit code ${exitCode}): ${output.trim() || 'it printed nothing'}. Check the \`image\` and \`user\` options.`,
    data: { exitCode: String(exitCode), output: output.trim() },
  })
}
