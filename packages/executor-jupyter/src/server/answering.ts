import { setTimeout as sleep } from 'node:timers/promises'
import type { JupyterConnection } from './connection-info.ts'
import { RestClient } from './rest-client.ts'
import { serverAddress } from './server-address.ts'
import { StartFault } from './server-error.ts'

/** Interval of the requests, in milliseconds. */
const askAgainMs = 50

export interface AnsweringOptions {
  readonly exited?: Promise<unknown>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Resolves when a server accepts the token; rejects when the server ends, or does not answer in time. */
export async function answering(
  info: JupyterConnection,
  { exited, timeoutMs, signal }: AnsweringOptions,
): Promise<void> {
  const rest = new RestClient(serverAddress(info))
  const timeout = AbortSignal.timeout(timeoutMs)
  const gone = new AbortController()
  const either = AbortSignal.any([timeout, gone.signal, ...(signal === undefined ? [] : [signal])])
  // Another program can have the port and never answer.
  void exited?.then(() => gone.abort())
  try {
    for (;;) {
      signal?.throwIfAborted()
      const failure = await rest.check(either).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) return
      if (gone.signal.aborted) throw new StartFault('it ended.', { data: {} })
      if (timeout.aborted) throw tooSlow(timeoutMs, failure)
      await sleep(askAgainMs, undefined, { signal: either }).catch(() => {})
    }
  } finally {
    await rest.close()
  }
}

function tooSlow(timeoutMs: number, cause: unknown): StartFault {
  const message = `it did not answer within ${timeoutMs} ms. Raise \`startTimeoutMs\`.`
  return new StartFault(message, { data: { limitMs: String(timeoutMs), option: 'startTimeoutMs' }, cause })
}
