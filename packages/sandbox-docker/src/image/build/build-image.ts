import { join } from 'node:path'
import { FencedError, type FencedErrorCode } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type Docker from 'dockerode'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import { answerOf } from '../../engine/engine-error.ts'
import { readEvents } from '../engine-events.ts'
import { imageLabel } from '../image.ts'
import type { BuildOptions, ImageSettings } from '../image-options.ts'
import { PacedNotices } from '../paced-notices.ts'
import { Logins } from '../registry/logins.ts'
import { type BuildContext, packBuildContext, readBuildContext } from './build-context.ts'
import { BuildReport } from './build-report.ts'
import { openBuildkitSession } from './buildkit-session.ts'

export interface BuildRequest {
  readonly build: BuildOptions
  readonly settings: ImageSettings
}

/** What a build came to. */
export interface BuiltImage {
  readonly id: string
  /** Whether it took this image from a build before it or beside it. `false` also where the builder does not say so. */
  hasReused(id: string): boolean
}

/**
 * Builds an image with the builder that the engine prefers, as the docker command does. When it is cancelled Docker
 * stops as well, because the connection is gone; Podman goes on with the step that it is at.
 *
 * @throws FencedError `BUILD_FAILED`, `BUILD_CONTEXT_NOT_FOUND`, `DISK_FULL`, `WRONG_PLATFORM` or `INVALID_OPTIONS`.
 */
export async function buildImage(
  engine: EngineAccess,
  request: BuildRequest,
  context: StartContext,
): Promise<BuiltImage> {
  const { docker, surroundings } = engine
  const files = await readBuildContext(request.build)
  const logins = new Logins(surroundings, context)
  using session = buildsWithBuildkit(engine)
    ? await openBuildkitSession(docker, {
        signal: context.signal,
        findLogin: async (host) => (await logins.find(host)).login,
      })
    : undefined
  const options = {
    ...buildOptions(request, files),
    // As a number, or dockerode would open a session of its own.
    ...(session === undefined ? await classicLogins(logins) : { version: 2, session: session.id }),
    abortSignal: context.signal,
  }
  const report = new BuildReport(new PacedNotices(context, 'build'))
  await runBuild(docker, { files, options: options as Docker.ImageBuildOptions, report })
  const { imageId: id, reused } = report
  if (id === undefined) throw buildError(files, report)
  const hasReused = (image: string) => [...reused].some((start) => withoutKind(image).startsWith(start))
  return { id, hasReused }
}

/** As for the docker command, a variable decides before the engine does. */
function buildsWithBuildkit({ info, surroundings }: EngineAccess): boolean {
  const { DOCKER_BUILDKIT } = surroundings.environment
  return DOCKER_BUILDKIT ? /^(1|t|true)$/i.test(DOCKER_BUILDKIT) : info.builderVersion === '2'
}

/** Builders' reports and Podman leave the `sha256:` out. */
function withoutKind(id: string): string {
  return id.replace('sha256:', '')
}

/** The fields of the request; one that is `undefined` would be sent as an empty text. */
function buildOptions({ build, settings }: BuildRequest, { dockerfile }: BuildContext): object {
  return {
    dockerfile,
    buildargs: build.buildArgs,
    labels: imageLabel('build'),
    // No container of a failed or cancelled step is left.
    rm: true,
    forcerm: true,
    ...(build.target === undefined ? {} : { target: build.target }),
    ...(settings.image === undefined ? {} : { t: settings.image }),
    ...(settings.platform === undefined ? {} : { platform: settings.platform }),
    ...(settings.pull === 'always' ? { pull: true } : {}),
  }
}

/**
 * The classic builder gets every login at once. In base64 for URLs, which is what the engine reads; docker-modem's
 * own is not.
 */
async function classicLogins(logins: Logins): Promise<object> {
  const text = Buffer.from(JSON.stringify(await logins.all())).toString('base64')
  return { registryconfig: { base64: text.replaceAll('+', '-').replaceAll('/', '_') } }
}

interface Build {
  readonly files: BuildContext
  readonly options: Docker.ImageBuildOptions
  readonly report: BuildReport
}

/** @throws what keeps the build from being asked for, or its answer from being read. */
async function runBuild(docker: Docker, { files, options, report }: Build): Promise<void> {
  const pack = packBuildContext(files)
  // Thrown in the place of what docker-modem makes of it.
  let unreadable: unknown
  pack.on('error', (error) => {
    unreadable = error
  })
  try {
    const stream = await docker.buildImage(pack, options)
    for await (const event of readEvents(stream)) report.take(event)
  } catch (error) {
    const said = answerOf(error)
    if (said === undefined) throw unreadable ?? error
    report.take({ error: said })
  } finally {
    pack.destroy()
  }
  if (report.error !== undefined) throw buildError(files, report)
}

function buildError({ directory, dockerfile }: BuildContext, report: BuildReport): FencedError {
  const { error = 'the builder named no image', step, lastLines } = report
  return new FencedError({
    code: codeOf(error),
    message: [
      `Building the image from ${join(directory, dockerfile)} failed${step === undefined ? '' : ` at the step ${step}`}: ${error.trim()}`,
      ...(lastLines === '' ? [] : ['The build’s last output:', lastLines]),
    ].join('\n'),
  })
}

function codeOf(error: string): FencedErrorCode {
  if (/no space left|quota exceeded/i.test(error)) return 'DISK_FULL'
  if (/no matching manifest|no match for platform|specified platform/i.test(error)) return 'WRONG_PLATFORM'
  return 'BUILD_FAILED'
}
