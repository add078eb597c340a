import type { StartContext } from '@fenced/core/driver'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import { answerOf } from '../../engine/engine-error.ts'
import { readEvents } from '../engine-events.ts'
import type { ImageName } from '../image-name.ts'
import { Logins } from '../registry/logins.ts'
import { ThrottledNotices } from '../throttled-notices.ts'
import { pullError } from './pull-error.ts'
import { PullProgress } from './pull-progress.ts'

export interface PullRequest {
  readonly name: ImageName
  readonly platform: string | undefined
}

/**
 * Pulls an image to the end. When it is cancelled the engine stops as well, because the connection is gone.
 *
 * @throws FencedError `IMAGE_NOT_FOUND`, `PULL_FAILED`, `WRONG_PLATFORM`, `DISK_FULL` or `INVALID_OPTIONS`.
 */
export async function pullImage(
  { docker, host }: EngineAccess,
  { name, platform }: PullRequest,
  context: StartContext,
): Promise<void> {
  const notices = new ThrottledNotices(context, 'pull')
  const data = { image: name.reference }
  const progress = new PullProgress()
  notices.say(`Pulling the image ${name.reference}.`, data)
  const { login, ...found } = await new Logins(host, context).find(name.registry)
  const options = {
    fromImage: name.repository,
    tag: name.version,
    ...(platform === undefined ? {} : { platform }),
    abortSignal: context.signal,
  }
  try {
    const stream = await docker.createImage(login, options)
    for await (const event of readEvents(stream)) {
      if (event.error !== undefined) throw pullError({ name, ...found }, event.error)
      if (progress.take(event))
        notices.mention(
          () => `Pulling the image ${name.reference}: ${progress}.`,
          () => ({ ...data, ...progress.data }),
        )
    }
  } catch (error) {
    const said = answerOf(error)
    throw said === undefined ? error : pullError({ name, ...found }, said, error)
  }
  notices.say(
    progress.isEmpty
      ? `The image ${name.reference} is up to date.`
      : `Pulled the image ${name.reference}: ${progress}.`,
    { ...data, ...progress.data },
  )
}
