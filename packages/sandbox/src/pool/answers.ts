import type { Sandbox } from '@fenced/core/sandbox'
import type { Poolable } from './pool-options.ts'

/** How long a sandbox may take to answer, in milliseconds. */
const limitMs = 10_000

/** Whether a sandbox, or that of an executor, still starts programs. What has none is taken for usable. */
export async function answers(
  kept: Poolable & Partial<Sandbox> & { sandbox?: Partial<Sandbox> | undefined },
) {
  const spawn = kept.spawn?.bind(kept) ?? kept.sandbox?.spawn
  if (spawn === undefined) return true
  const signal = AbortSignal.timeout(limitMs)
  const { ended } = await spawn(['/bin/sh', '-c', ':'], { output: () => {}, signal })
  const { kind } = await ended
  return !signal.aborted && (kind === 'exited' || kind === 'not-started')
}
