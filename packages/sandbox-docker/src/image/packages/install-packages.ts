import type { Readable } from 'node:stream'
import type { StartContext } from '@fenced/core/driver'
import { hideUsers, nonInteractiveEnvironment, type RequirementsFile, untilKnown } from '@fenced/shared'
import type { Container } from '../../container/container.ts'
import { ThrottledNotices } from '../throttled-notices.ts'
import { installError } from './install-error.ts'
import { PipOutput } from './pip-output.ts'

/** What is to be installed, and where. */
export interface Installation {
  /** What a person knows the image by. */
  readonly baseName: string
  readonly packages: readonly string[]
  readonly requirements: readonly RequirementsFile[]
  readonly installEnv: Readonly<Record<string, string>>
}

/** How long the engine may take to notice that pip has ended, in milliseconds. */
const endLimitMs = 10_000

/** Where the requirements are meanwhile. Not in /tmp, which not every image has. */
const folder = '.fenced'

/** Its exit code is pip's own, or 127. The same Python is found as for a block. */
const script = `
python=$(command -v python3 || command -v python) || exit 127
"$python" -m pip install --no-cache-dir "$@"
code=$?
rm -rf /${folder}
exit $code
`

/** It is our own layer, so a distribution's rule to leave its Python alone (PEP 668) is not for it. */
const pipEnvironment = {
  ...nonInteractiveEnvironment,
  PIP_BREAK_SYSTEM_PACKAGES: '1',
  PIP_PROGRESS_BAR: 'off',
}

/**
 * Runs pip in a container to its end, as root.
 *
 * @throws FencedError `INSTALL_FAILED`, `IMAGE_WITHOUT_PYTHON` or `DISK_FULL`.
 */
export async function installPackages(
  container: Container,
  installation: Installation,
  context: StartContext,
): Promise<void> {
  const { baseName, packages, requirements, installEnv } = installation
  const what = describeInstallation(installation)
  const notices = new ThrottledNotices(context, 'install')
  const output = new PipOutput(notices, installEnv)
  notices.say(
    `Installing ${what} into the image ${baseName}. This can take minutes. Later starts use the result.`,
    {
      packages: what,
      image: baseName,
    },
  )
  await putRequirements(container, requirements, context)
  const outermost = requirements.slice(0, 1).flatMap(({ name }) => ['-r', `/${folder}/${name}`])
  const command = ['/bin/sh', '-c', script, 'fenced-install', ...outermost, '--', ...packages]
  const process = await container.exec(command, {
    user: '0:0',
    // Python looks for modules where it is started, and what is there would be taken for parts of pip.
    cwd: '/',
    env: { ...pipEnvironment, ...installEnv },
    stdin: false,
    signal: context.signal,
  })
  await process.read((stream, chunk) => output.take(stream, chunk))
  context.signal.throwIfAborted()
  const exitCode = await untilKnown(() => process.poll(), endLimitMs)
  if (exitCode === 0)
    notices.say(`Saving the image ${baseName} with ${what}.`, { packages: what, image: baseName })
  else throw installError({ what, baseName, exitCode, words: output.tail })
}

/** What is to be installed, in the words of its caller. */
export function describeInstallation({ packages, requirements }: Installation): string {
  return hideUsers(
    [...packages, ...requirements.slice(0, 1).map(({ name }) => name.replace('0-', ''))].join(', '),
  )
}

async function putRequirements(
  container: Container,
  files: readonly RequirementsFile[],
  { signal }: StartContext,
): Promise<void> {
  if (files.length === 0) return
  const { pack: newPack } = await import('tar-stream')
  const pack = newPack()
  for (const { name, content } of files) pack.entry({ name: `${folder}/${name}` }, content)
  pack.finalize()
  await container.put('/', pack as unknown as Readable, { signal })
}
