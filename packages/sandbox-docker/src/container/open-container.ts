import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import type Docker from 'dockerode'
import { EngineAnswerError } from '../engine/engine-answer.ts'
import { containerRefusal } from './container-error.ts'
import type { ContainerRequest } from './container-request.ts'
import type { PendingRemovals } from './pending-removals.ts'
import { isGone, removeContainer } from './remove-container.ts'

/**
 * Makes a container and starts it. When that fails, nothing of it is left.
 *
 * @param pendingRemovals - takes what cannot be removed at once.
 * @throws FencedError for what the options can change, else what the engine answers.
 */
export async function openContainer(
  docker: Docker,
  request: ContainerRequest,
  signal: AbortSignal,
  pendingRemovals: PendingRemovals,
): Promise<Docker.Container> {
  try {
    const container = await make(docker, request, signal)
    await container.start({ abortSignal: signal })
    return container
  } catch (error) {
    await discard(docker, { request, error, pendingRemovals })
    signal.throwIfAborted()
    throw refusal(error) ?? error
  }
}

/**
 * Why a container that was started is not there any more: makes it once more, to hear its last words.
 *
 * @returns an error to be thrown.
 */
export async function whyItEnded(
  docker: Docker,
  request: ContainerRequest,
  signal: AbortSignal,
  pendingRemovals: PendingRemovals,
): Promise<FencedError> {
  const name = `${request.name}-again`
  const { LogConfig: _, ...hostConfig } = request.HostConfig ?? {}
  const kept = { ...request, name, HostConfig: { ...hostConfig, AutoRemove: false } }
  let failure: unknown
  try {
    const container = await make(docker, kept, signal)
    await container.start({ abortSignal: signal })
    await Promise.race([container.wait({ abortSignal: signal }), delay(lastWordsMs)])
    const logs = await container.logs({ stdout: true, stderr: true, tail: 20, abortSignal: signal })
    return ended(
      logs
        .subarray(-maxLastWords)
        .toString('utf8')
        .replace(/[^\P{Cc}\n]/gu, ''),
    )
  } catch (error) {
    failure = error
    signal.throwIfAborted()
    const words = refusal(error)
    if (words === undefined && !isAnswer(error)) throw error
    return words ?? ended(errorMessage(error))
  } finally {
    await discard(docker, { request: kept, error: failure, pendingRemovals })
  }
}

/** How long a request that is cancelled may take to be answered all the same, in milliseconds. */
const answerGraceMs = 5_000

/** A cancelled one is let run: only its answer tells whether there is a container now. */
async function make(
  docker: Docker,
  request: ContainerRequest,
  signal: AbortSignal,
): Promise<Docker.Container> {
  signal.throwIfAborted()
  const patience = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => patience.abort(), answerGraceMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const container = await docker.createContainer(asBody(request, patience.signal))
    signal.throwIfAborted()
    return container
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}

/** docker-modem would put all of it into the address as well, which logs keep, and `env` may hold secrets. */
function asBody(
  { name, platform, ...body }: ContainerRequest,
  abortSignal: AbortSignal,
): Docker.ContainerCreateOptions {
  const query = { name, ...(platform === undefined ? {} : { platform }) }
  const options = { _query: query, _body: body, abortSignal }
  return options
}

/** How much of what it said is looked at, in bytes. */
const maxLastWords = 16 * 1024

/** How long a container that ends at once may take to do so, in milliseconds. */
const lastWordsMs = 3_000

function ended(words: string): FencedError {
  const said = words.trim() === '' ? 'it said nothing' : words.trim()
  return (
    containerRefusal(said, undefined) ??
    new FencedError({
      code: 'CONTAINER_UNUSABLE',
      message: `The container ended as soon as it was started: ${said}. Check the \`image\` and \`runtime\` options.`,
      data: { output: words.trim(), option: 'image, runtime' },
    })
  )
}

function refusal(error: unknown): FencedError | undefined {
  return containerRefusal(errorMessage(error), error)
}

/** How long it may take to look for what is to be removed, in milliseconds. */
const lookLimitMs = 6_000

interface Discarded {
  readonly request: ContainerRequest
  /** What became of it. */
  readonly error: unknown
  readonly pendingRemovals: PendingRemovals
}

/** Removes what a request may have made. One whose answer was lost may still be carried out a moment later. */
async function discard(docker: Docker, { request, error, pendingRemovals }: Discarded): Promise<void> {
  const removal = async () => {
    const wasThere = await removeOf(docker, request, AbortSignal.timeout(lookLimitMs))
    return wasThere || isAnswer(error)
  }
  if (isAnswer(error)) return pendingRemovals.remove(removal)
  const limit = AbortSignal.timeout(lookLimitMs)
  for (const pauseMs of [0, 250, 1_000]) {
    await delay(pauseMs)
    if (await removeOf(docker, request, limit).catch(() => false)) return
  }
  pendingRemovals.add(removal)
}

/** @returns whether there was one. */
async function removeOf(
  docker: Docker,
  { name, Labels }: ContainerRequest,
  abortSignal: AbortSignal,
): Promise<boolean> {
  try {
    const { Id, Config } = await docker.getContainer(name).inspect({ abortSignal })
    // One of this name may be somebody else's.
    if (Object.entries(Labels ?? {}).some(([label, value]) => Config.Labels[label] !== value)) return false
    await removeContainer(docker.getContainer(Id))
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

/** Whether the engine said so, and not the connection. */
function isAnswer(error: unknown): boolean {
  return error instanceof EngineAnswerError
}
