import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessExit } from '@fenced/host'
import type { JupyterConnectionInfo } from './connection-info.ts'
import { RestClient } from './rest-client.ts'
import { serverAddress } from './server-address.ts'

/** How often it is asked, in milliseconds. */
const askAgainMs = 50

export interface AnsweringOptions {
  readonly exited?: Promise<ProcessExit>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Resolves when a server answers with the token; rejects when it ends before, or does not answer in time. */
export async function answering(
  info: JupyterConnectionInfo,
  { exited, timeoutMs, signal }: AnsweringOptions,
): Promise<void> {
  const rest = new RestClient(serverAddress(info))
  const endsAt = performance.now() + timeoutMs
  let hasExited = false
  void exited?.then(() => {
    hasExited = true
  })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const failure = await rest.check(signal).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) return
      if (hasExited) throw new Error('it ended by itself.')
      if (performance.now() > endsAt) throw failure
      await sleep(askAgainMs)
    }
  } finally {
    await rest.close()
  }
}
