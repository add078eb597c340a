import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FencedError, type FencedErrorCode } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { TemporaryDirectory } from '@fenced/core/internal'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import { imageLabel } from '../image.ts'
import type { BuildOptions, ImageSettings } from '../image-options.ts'
import { ThrottledNotices } from '../throttled-notices.ts'
import { type BuildCommand, runBuildCommand } from './build-command.ts'
import { BuildOutput } from './build-output.ts'
import { EngineRelay } from './engine-relay.ts'

export interface BuildRequest {
  readonly build: BuildOptions
  readonly settings: ImageSettings
}

/**
 * Builds an image with the docker or the podman command, so `.dockerignore`, the user's registry logins and
 * the usual builder apply. When the build is cancelled, Docker stops it; Podman first finishes the current
 * step.
 *
 * @returns the image's id.
 * @throws FencedError `BUILD_FAILED`, `BUILD_CONTEXT_NOT_FOUND`, `BUILD_COMMAND_NOT_FOUND`, `DISK_FULL` or `WRONG_PLATFORM`.
 */
export async function buildImage(
  engine: EngineAccess,
  request: BuildRequest,
  context: StartContext,
): Promise<string> {
  const { directory, dockerfile } = await findSource(request.build)
  await using folder = TemporaryDirectory.make()
  const idFile = join(folder.path, 'id')
  await using relay = await EngineRelay.open(engine, folder.path)
  const command: BuildCommand = {
    address: relay.address,
    environment: engine.host.environment,
    arguments: [...buildArguments(request), '--file', dockerfile, '--iidfile', idFile, directory],
  }
  const output = new BuildOutput(new ThrottledNotices(context, 'build'))
  const exitCode = await runBuildCommand(command, {
    signal: context.signal,
    write: (text) => output.take(text),
  })
  context.signal.throwIfAborted()
  if (exitCode !== 0) {
    throw relay.error ?? buildError(dockerfile, { exitCode, lastLines: output.lastLines })
  }
  return (await readFile(idFile, 'utf8')).trim()
}

/** What is built, by absolute paths. */
async function findSource(build: BuildOptions): Promise<{ directory: string; dockerfile: string }> {
  const directory = resolve(build.context)
  const dockerfile = resolve(directory, build.dockerfile)
  const context = await stat(directory).catch(() => undefined)
  if (!context?.isDirectory()) throw notFound(directory, 'directory')
  const file = await stat(dockerfile).catch(() => undefined)
  if (!file?.isFile()) throw notFound(dockerfile, 'Dockerfile')
  return { directory, dockerfile }
}

function buildArguments({ build, settings }: BuildRequest): string[] {
  const { image, platform, pull } = settings
  const labels = Object.entries(imageLabel('build'))
  return [
    // No container of a failed or cancelled step is left.
    '--force-rm',
    ...labels.flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...Object.entries(build.buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...(build.target === undefined ? [] : ['--target', build.target]),
    ...(image === undefined ? [] : ['--tag', image]),
    ...(platform === undefined ? [] : ['--platform', platform]),
    ...(pull === 'always' ? ['--pull'] : []),
  ]
}

function buildError(
  dockerfile: string,
  { exitCode, lastLines }: { readonly exitCode: number; readonly lastLines: string },
): FencedError {
  return new FencedError({
    code: codeOf(lastLines),
    message: `Building the image from ${dockerfile} failed with exit code ${exitCode}. The build’s last output:\n${lastLines}`,
    data: { path: dockerfile, exitCode: String(exitCode), output: lastLines },
  })
}

function codeOf(words: string): FencedErrorCode {
  if (/no space left|quota exceeded/i.test(words)) return 'DISK_FULL'
  if (/no matching manifest|no match for platform|specified platform/i.test(words)) return 'WRONG_PLATFORM'
  return 'BUILD_FAILED'
}

function notFound(path: string, what: string): FencedError {
  return new FencedError({
    code: 'BUILD_CONTEXT_NOT_FOUND',
    message: `There is no ${what} at ${path}. Check the \`build\` option.`,
    data: { path, option: 'build' },
  })
}
