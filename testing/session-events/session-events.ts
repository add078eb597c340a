import type { describe as Describe, expect as Expect, it as It, vi as Vi } from 'vitest'
import { hostEvents } from './host-events.ts'
import { processEvents } from './process-events.ts'
import { programEvents } from './program-events.ts'
import { type Fate, Session, type SessionEvent, type SessionPlace } from './session-place.ts'
import type { SessionRow, SessionRows } from './session-row.ts'

interface Vitest {
  readonly describe: typeof Describe
  readonly it: typeof It
  readonly expect: typeof Expect
  readonly vi: typeof Vi
}

const rows: SessionRows = { ...programEvents, ...processEvents, ...hostEvents }

/** Runs each event that could end a session, and compares what becomes of its variables with `outcomes`. */
export function describeSessionEvents(
  { describe, it, expect, vi }: Vitest,
  name: string,
  place: SessionPlace,
): void {
  const rowOf = (fate: Fate): SessionRow => ({
    ...{ place, expect, vi },
    inSession: async (work, executor = place.create({ killGraceMs: 500 })) => {
      try {
        const session = new Session(executor)
        await session.python('x = 41')
        await work(session)
      } finally {
        await executor.stop()
      }
    },
    expectFate: async (session, event) => {
      const next = await session.python('print("x" in globals())')
      const codes = [...(event?.notices ?? []), ...next.notices].map(({ code }) => code)
      expect(codes.filter((code) => code.startsWith('state-'))).toEqual(fate === 'kept' ? [] : [fate])
      expect(next.stdout).toBe(fate === 'state-lost' ? 'False\n' : 'True\n')
      expect((await session.python('print("still running")')).stdout).toBe('still running\n')
    },
  })

  describe(`a session in ${name}`, () => {
    for (const [event, run] of Object.entries(rows)) {
      const outcome = place.outcomes[event as SessionEvent]
      // An event that cannot happen has no test; its reason is in the table.
      if (typeof outcome === 'string') it(`${event}: ${outcome}`, () => run(rowOf(outcome)))
    }
  })
}
