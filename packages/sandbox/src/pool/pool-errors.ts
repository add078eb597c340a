import { FencedError, type Notice } from '@fenced/core'
import type { IdleSetOptions } from './pool-options.ts'
import type { WaitQueueOptions } from './wait-queue.ts'

type PoolLimits = Pick<IdleSetOptions<never>, 'max' | 'maxPerUser' | 'maxWaiting' | 'waitTimeoutMs'>

/** Why the sandbox of a key was stopped. */
export type EndReason = 'needed' | 'idle' | 'lifetime' | 'uses' | 'unusable'

const sentences: Readonly<Record<EndReason, string>> = {
  needed: 'Another caller needed the place of the previous sandbox, so the sandbox was stopped.',
  idle: 'The previous sandbox was idle for too long, so it was stopped.',
  lifetime: 'The previous sandbox reached its maximum age, so it was stopped.',
  uses: 'The previous sandbox reached its maximum number of uses, so it was stopped.',
  unusable: 'The previous sandbox no longer worked, so it was stopped.',
}

/** Returns the notice for a key whose sandbox was replaced. */
export function sandboxReplaced(reason: EndReason, files: 'kept' | 'lost'): Notice {
  const losses =
    files === 'kept'
      ? 'The files in its working directory were kept. Variables and running programs were lost.'
      : 'Files, variables and running programs were lost.'
  return { code: 'sandbox-replaced', message: `${sentences[reason]} ${losses}`, data: { reason, files } }
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

export function ofAnotherUser(key: string): FencedError {
  return new FencedError({
    code: 'KEY_OF_ANOTHER_USER',
    message: `The keyed ${JSON.stringify(key)} belongs to another \`user\`. Choose another id.`,
    data: { key },
  })
}
