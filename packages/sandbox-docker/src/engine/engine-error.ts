import { FencedError, type FencedErrorCode } from '@fenced/core'
import { errorsIn, reasonIn } from '@fenced/errors'
import { type Advice, checkCertificates, joinDockerGroup } from './advice.ts'
import type { EngineAccess } from './connect-engine.ts'
import type { Endpoint } from './endpoint.ts'
import { EngineAnswerError } from './engine-answer.ts'
import { Fault, faultOf, isOfTls } from './fault.ts'

interface DockerodeError {
  readonly code?: string
  readonly message?: string
}

const lost = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE'])

/**
 * Turns what dockerode throws into an error for people. FencedErrors and AbortErrors pass unchanged, and so does what
 * cannot come from an engine: a file of this machine that is missing, a mistake in a program.
 *
 * - `ENGINE_LOST`: the connection broke, or could not be restored.
 * - `ENGINE_UNREACHABLE`: this user may no longer use the socket.
 * - `DISK_FULL`: the engine has no room left.
 * - `ENGINE_FAILED`: everything else, in the engine's own words.
 *
 * @param doing - the interrupted action, which follows "while": `pulling python:3.13-slim`.
 */
export function engineError(error: unknown, doing: string, endpoint: Endpoint): Error {
  if (FencedError.isInstance(error)) return error
  if (isOfThisProcess(error)) return error
  const fault = connectionFault(error)
  const words = fault?.message ?? wordsOf(error)
  const why = fault === undefined ? { reason: words } : { fault: fault.kind, ...fault.data }
  const { code, next, command } = diagnose(error, words, fault)
  return new FencedError({
    code,
    message: `The Docker engine at ${endpoint.address} (${endpoint.origin}) failed while ${doing}: ${words}. ${next}`,
    data: {
      engine: endpoint.address,
      origin: endpoint.origin,
      ...why,
      ...(command === undefined ? {} : { command }),
    },
    cause: error,
  })
}

/** A signal, and mistakes in code: by name, because Node can make them in another realm than ours. */
const ownErrors = new Set(['AbortError', 'TypeError', 'RangeError', 'ReferenceError'])

/** Node gives errors of files a path, and those of connections none. A `SyntaxError` may be an answer that is no JSON. */
function isOfThisProcess(error: unknown): error is Error {
  const { errno, name, path } = Object(error) as NodeJS.ErrnoException
  return ownErrors.has(name) || (errno !== undefined && path !== undefined)
}

/** Why there is no connection, where that is the matter. */
function connectionFault(error: unknown): Fault | undefined {
  // A name with several addresses.
  const first = errorsIn(error)[0] ?? error
  const { syscall, code = '' } = Object(first) as NodeJS.ErrnoException
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo' || isOfTls(code)
  return first instanceof Fault || isConnecting ? faultOf(first) : undefined
}

function diagnose(
  error: unknown,
  words: string,
  fault: Fault | undefined,
): Advice & { readonly code: FencedErrorCode } {
  if (/no space left on device|ENOSPC/i.test(words)) {
    return {
      code: 'DISK_FULL',
      command: 'docker system df',
      next: 'Free space there: `docker system df` shows what uses it, and `docker system prune` removes what is unused.',
    }
  }
  if (fault?.kind === 'tls') return { code: 'ENGINE_LOST', next: checkCertificates }
  if (fault?.kind === 'denied') return { code: 'ENGINE_UNREACHABLE', ...joinDockerGroup }
  if (fault !== undefined || lost.has((Object(error) as DockerodeError).code ?? '')) {
    return {
      code: 'ENGINE_LOST',
      command: 'docker version',
      next: 'Run `docker version` to check whether it is running, then start again.',
    }
  }
  return {
    code: 'ENGINE_FAILED',
    command: 'docker info',
    next: 'For details, see `docker info` and the engine’s log.',
  }
}

/** Returns the answer of an engine that refused a request; `undefined` for all other errors, such as a lost connection. */
export function answerOf(error: unknown): string | undefined {
  return error instanceof EngineAnswerError ? wordsOf(error) : undefined
}

/** What an error says, as a part of a sentence. */
export function wordsOf(error: unknown): string {
  const { message = String(error) } = Object(error) as DockerodeError
  return reasonIn(message)
}

interface EngineTask {
  /** So that it reads on after "failed while": `starting a container`. */
  readonly doing: string
  /** What may cancel it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Does something with an engine. Its errors report what was being done, and where.
 *
 * @throws the signal's reason when it is aborted.
 * @throws FencedError `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED` for what dockerode throws;
 * FencedErrors and AbortErrors unchanged.
 */
export async function withEngineErrors<Result>(
  { endpoint }: Pick<EngineAccess, 'endpoint'>,
  { doing, signal }: EngineTask,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    // What a cancelled request fails with says nothing.
    signal?.throwIfAborted()
    const known = isOverdue(error)
      ? new Fault('silent', 'it did not answer in time', { cause: error })
      : error
    throw engineError(known, doing, endpoint)
  }
}

/** Whether a request of ours was given up because its own time limit had passed. */
function isOverdue(error: unknown): boolean {
  const { name, cause } = Object(error) as { name?: string; cause?: { name?: string } }
  return name === 'TimeoutError' || (name === 'AbortError' && cause?.name === 'TimeoutError')
}
