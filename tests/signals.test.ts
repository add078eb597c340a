import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap, docker, environment, image, jupyter } from './installed/needs.ts'

const host = join(import.meta.dirname, 'signals/host.ts')
const subjects = [
  { subject: 'local', need: undefined },
  { subject: 'bubblewrap', need: bubblewrap },
  { subject: 'docker', need: docker },
  { subject: 'jupyter', need: jupyter },
  { subject: 'pool', need: undefined },
]
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

interface Case {
  readonly subject: string
  readonly signal: NodeJS.Signals
  /** How the host listens for the signal, when, and how often. */
  readonly method: 'once' | 'on' | 'prependOnceListener' | 'none'
  readonly order: 'before' | 'after'
  readonly count: number
}

/** How a host ends after a signal, and what is left of its programs. */
async function ended(options: Case) {
  const seconds = uniqueSeconds()
  const args = ['--conditions=@fenced/source', host, JSON.stringify({ ...options, seconds, image })]
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.once('data', () => child.kill(options.signal))
  const exited = once(child, 'exit')
  const output = await text(child.stdout)
  const [code, signal] = await exited
  return { output, code, signal, left: await processesLeft(`${seconds}`) }
}

/** There are no other listeners than the host's while the program runs. */
const finished = (count: number) => ({
  output: `ready ${count}\n${'finished\n'.repeat(count)}`,
  code: 0,
  signal: null,
  left: [],
})

const rows = rowTags({
  all: [
    'of the kind bubblewrap',
    'of the kind docker',
    'of the kind jupyter',
    'of the kind pool',
    'ends a host',
  ],
  nightly: [
    '> SIGINT >',
    '> SIGHUP >',
    'by on ',
    'by prependOnceListener',
    'after the start',
    'of 2',
    'docker > SIGTERM > ends',
    'jupyter > SIGTERM > ends',
    'pool > SIGTERM > ends',
  ],
})

describe.each(subjects)('with an executor of the kind $subject', rows, ({ subject, need }) => {
  const listeners = (['once', 'on', 'prependOnceListener'] as const).flatMap((method) =>
    (['before', 'after'] as const).flatMap((order) => [1, 2].map((count) => ({ method, order, count }))),
  )
  describe.skipIf(need?.missing ?? false).each(signals)('%s', (signal) => {
    it.each(listeners)('lets a listener by $method $order the start finish, of $count', async (listener) => {
      expect(await ended({ subject, signal, ...listener })).toEqual(finished(listener.count))
    })

    it('ends a host without a listener, and its programs', async () => {
      const result = await ended({ subject, signal, method: 'none', order: 'before', count: 0 })
      expect(result).toEqual({ output: 'ready 1\n', code: null, signal, left: [] })
    })
  })
})
