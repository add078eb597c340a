import { FencedError, type Notice } from '@fenced/core'
import type { IdleSetOptions } from './pool-options.ts'
import type { WaitQueueOptions } from './wait-queue.ts'

type PoolLimits = Pick<IdleSetOptions<never>, 'max' | 'maxPerUser' | 'maxWaiting' | 'waitTimeoutMs'>

/** Why the sandbox of a session was stopped. */
export type EndReason = 'needed' | 'idle' | 'lifetime' | 'uses' | 'unusable'

const sentences: Readonly<Record<EndReason, string>> = {
  needed: 'Another caller needed the sandbox of this session, so it was stopped.',
  idle: 'This session was idle for too long, so its sandbox was stopped.',
  lifetime: 'The sandbox of this session reached its maximum age, so it was stopped.',
  uses: 'The sandbox of this session reached its maximum number of uses, so it was stopped.',
  unusable: 'The sandbox of this session no longer worked, so it was stopped.',
}

/** Returns the notice for a session whose sandbox was replaced. */
export function sessionEnded(reason: EndReason, files: 'kept' | 'lost'): Notice {
  const losses =
    files === 'kept'
      ? 'The files in its working directory were kept. Variables and running programs were lost.'
      : 'Files, variables and running programs were lost.'
  return { code: 'session-ended', message: `${sentences[reason]} ${losses}`, data: { reason, files } }
}

/** Why a caller of a pool gets nothing. */
export function poolFull({
  max,
  maxPerUser,
  maxWaiting,
  waitTimeoutMs,
}: PoolLimits): WaitQueueOptions['refusal'] {
  return (reason, isAtLimit) => {
    const [option, limit] = isAtLimit ? ['maxPerUser', maxPerUser] : ['max', max]
    const [why, data] =
      reason === 'late'
        ? [`none became free within ${waitTimeoutMs} ms`, { limitMs: `${waitTimeoutMs}` }]
        : [`${maxWaiting} callers wait already`, { waiting: `${maxWaiting}` }]
    const message = `The pool has no free sandbox: ${why}. Release leases with release(), wait longer (\`waitTimeoutMs\`), or raise \`${option}\` (${limit}).`
    return new FencedError({ code: 'POOL_FULL', message, data: { option, limit: `${limit}`, ...data } })
  }
}

export function stoppedError(): FencedError {
  return new FencedError({
    code: 'POOL_STOPPED',
    message: 'The pool was stopped. Call start() to use it again.',
  })
}

export function ofAnotherUser(sessionId: string): FencedError {
  return new FencedError({
    code: 'SESSION_OF_ANOTHER_USER',
    message: `The session ${JSON.stringify(sessionId)} belongs to another \`user\`. Choose another id.`,
    data: { session: sessionId },
  })
}
