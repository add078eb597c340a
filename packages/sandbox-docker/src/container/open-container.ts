import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'
import type Docker from 'dockerode'
import { EngineAnswerError } from '../engine/engine-answer.ts'
import { containerRefusal } from './container-error.ts'
import type { ContainerRequest } from './container-request.ts'
import type { PendingRemovals, Removal } from './pending-removals.ts'
import { isGone, removeContainer } from './remove-container.ts'

/**
 * Makes a container and starts it. When that fails, nothing of it is left.
 *
 * @param signal - ends it also while the engine makes the container, which is removed in the background then.
 * @param pendingRemovals - takes what cannot be removed at once.
 * @throws FencedError for what the options can change, else what the engine answers.
 */
export async function openContainer(
  docker: Docker,
  request: ContainerRequest,
  signal: AbortSignal,
  pendingRemovals: PendingRemovals,
): Promise<Docker.Container> {
  signal.throwIfAborted()
  const making = make(docker, request, signal)
  try {
    const container = await untilAborted(making, signal)
    await container.start({ abortSignal: signal })
    return container
  } catch (error) {
    await pendingRemovals.remove(removalOf(docker, { request, making }), signal)
    signal.throwIfAborted()
    throw refusal(error) ?? error
  }
}

/**
 * Finds out why a started container has ended: creates it again, to read its output.
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
  signal.throwIfAborted()
  const making = make(docker, kept, signal)
  try {
    const container = await untilAborted(making, signal)
    await container.start({ abortSignal: signal })
    await Promise.race([container.wait({ abortSignal: signal }), delay(endLimitMs)])
    const logs = await container.logs({ stdout: true, stderr: true, tail: 20, abortSignal: signal })
    return ended(
      logs
        .subarray(-maxTailBytes)
        .toString('utf8')
        .replace(/[^\P{Cc}\n]/gu, ''),
    )
  } catch (error) {
    signal.throwIfAborted()
    const words = refusal(error)
    if (words === undefined && !isAnswer(error)) throw error
    return words ?? ended(errorMessage(error))
  } finally {
    await pendingRemovals.remove(removalOf(docker, { request: kept, making }), signal)
  }
}

/** How long a request that is cancelled may take to be answered all the same, in milliseconds. */
const answerGraceMs = 5_000

/** A cancelled request continues: only its answer shows whether a container was created. */
async function make(
  docker: Docker,
  request: ContainerRequest,
  signal: AbortSignal,
): Promise<Docker.Container> {
  const patience = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => patience.abort(), answerGraceMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await docker.createContainer(asBody(request, patience.signal))
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

/** Maximum length of the output that is examined, in bytes. */
const maxTailBytes = 16 * 1024

/** Time limit for the end of a container that ends at once, in milliseconds. */
const endLimitMs = 3_000

function ended(words: string): FencedError {
  const said = words.trim() === '' ? 'it said nothing' : words.trim()
  return (
    containerRefusal(said, undefined) ??
    new FencedError({
      code: 'CONTAINER_UNUSABLE',
      message: `The container exited as soon as it was started: ${said}. Check the \`image\` and \`runtime\` options.`,
      data: { output: words.trim(), option: 'image, runtime' },
    })
  )
}

function refusal(error: unknown): FencedError | undefined {
  return containerRefusal(errorMessage(error), error)
}

/** How long it may take to look for what is to be removed, in milliseconds. */
const lookLimitMs = 6_000

/** A request that failed or was cancelled. */
interface Discarded {
  readonly request: ContainerRequest
  /** Its sending, which may still be under way. */
  readonly making: Promise<unknown>
}

/** Removes what a request may have made. A request whose answer was lost may be carried out later. */
function removalOf(docker: Docker, { request, making }: Discarded): Removal {
  let isFirst = true
  return async () => {
    const isDecided = await making.then(() => true, isAnswer)
    const pausesMs = isFirst && !isDecided ? [250, 1_000] : []
    isFirst = false
    const limit = AbortSignal.timeout(lookLimitMs)
    for (const pauseMs of pausesMs) {
      if (await removeOf(docker, request, limit).catch(() => false)) return true
      await delay(pauseMs)
    }
    return (await removeOf(docker, request, limit)) || isDecided
  }
}

/** @returns whether there was one. */
async function removeOf(
  docker: Docker,
  { name, Labels }: ContainerRequest,
  abortSignal: AbortSignal,
): Promise<boolean> {
  try {
    const { Id, Config } = await docker.getContainer(name).inspect({ abortSignal })
    // A container of this name may belong to another user.
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
