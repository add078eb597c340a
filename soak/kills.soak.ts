import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '@fenced/testing'
import { eachExecutor, type Trial } from './each-executor.ts'
import type { Subject } from './executors.ts'
import { type Left, Realm } from './realm.ts'
import type { Soak, SoakOptions } from './row.ts'

/** What a host does when it is killed. */
type Phase = 'start' | 'block' | 'stop'

const signals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const

interface Killed {
  readonly signal: (typeof signals)[number]
  readonly atOnce: Left
  readonly afterNextStart: Left
}

/** How long the next start, a block and its end may take. */
const nextLimitMs = 180_000

/** A host process that is killed while it starts an executor, runs a block, or stops. */
export const killsSoak: Soak = (options) => {
  const phases: readonly Phase[] = options.short ? ['block'] : ['start', 'block', 'stop']
  const random = new Random(options.seed)
  return eachExecutor(
    options,
    phases.map((phase) => trial(phase, options, random)),
  )
}

function trial(phase: Phase, options: SoakOptions, random: Random): Trial {
  const chosen = options.short ? signals.slice(0, 1) : signals
  return {
    soak: 'kills',
    what: phase,
    run: async (subject) => {
      const killed: Killed[] = []
      for (let round = 0; round < (options.rounds ?? 1); round++) {
        killed.push(
          ...(await Promise.all(chosen.map((signal) => kill(subject, phase, signal, options, random)))),
        )
      }
      const bad = killed.filter((one) => !isAsPromised(one, subject))
      return {
        figures: {
          hosts: killed.length,
          processes: sum(killed, 'atOnce', 'processes'),
          containers: sum(killed, 'atOnce', 'containers'),
          directories: sum(killed, 'atOnce', 'directories'),
          'processes after the next start': sum(killed, 'afterNextStart', 'processes'),
          'containers, too': sum(killed, 'afterNextStart', 'containers'),
          'directories, too': sum(killed, 'afterNextStart', 'directories'),
        },
        asPromised: bad.length === 0,
        ...(bad.length > 0 && { note: [...new Set(bad.map(({ signal }) => signal))].join(', ') }),
      }
    },
  }
}

/**
 * The next executor of that kind ends and removes what a host left that was killed. Of each block that the host was killed
 * in, one process has left its session and cleared its environment.
 */
function isAsPromised({ afterNextStart }: Killed, { findsEverything }: Subject): boolean {
  const { processes, containers, directories } = afterNextStart
  return containers + directories === 0 && processes <= (findsEverything ? 0 : 1)
}

async function kill(
  subject: Subject,
  phase: Phase,
  signal: Killed['signal'],
  { setup }: SoakOptions,
  random: Random,
): Promise<Killed> {
  await using realm = await Realm.make(subject)
  const program = { subject: subject.name, phase, seconds: realm.seconds, setup }
  const host = realm.start('killed-host.ts', program)
  // It prints once, when the phase begins.
  await Promise.race([once(host.stdout, 'data'), once(host, 'exit')])
  if (host.exitCode !== null) throw new Error(`The host ended before it was killed in its ${phase}.`)
  await sleep(phase === 'block' ? 0 : random.whole(0, 300))
  host.kill(signal)
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit')
  const atOnce = await realm.left()
  await realm.run('next-host.ts', { subject: subject.name, setup }, nextLimitMs)
  return { signal, atOnce, afterNextStart: await realm.left() }
}

function sum(killed: readonly Killed[], when: 'atOnce' | 'afterNextStart', what: keyof Left): number {
  return killed.reduce((total, one) => total + one[when][what], 0)
}
