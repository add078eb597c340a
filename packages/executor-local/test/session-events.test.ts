// @module-tag all

import { join } from 'node:path'
import { SandboxPool } from '@fenced/sandbox'
import { describeSessionEvents, type SessionOutcomes } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const littleMemory = 'little memory, where the kernel would end Python with its checkpoints'
const vitest = { describe, expect, it, vi }

const everywhere = {
  'the end of another program': 'kept',
  'changed packages': 'kept',
  'a file left in /tmp': 'kept',
  'late output of a thread': 'kept',
  'the idle time of a resident Python': 'kept',
  'a killed resident Python': 'kept',
  'the idle time of its container': { cannot: 'All processes end with the host; there is no container.' },
  'a changed umask of the host': 'state-kept',
  'changed limits of the host': 'state-kept',
  'changed priority and limits of its keeper': 'kept',
  'a cut connection': { cannot: 'The host and its keeper have pipes, which end only with one of them.' },
  'a silent connection in a cell': { cannot: 'Pipes lose nothing; see the stopped keeper.' },
  'a silent connection between cells': { cannot: 'Pipes lose nothing; see the stopped keeper.' },
  'a pool that needs the place': 'sandbox-replaced',
  'a restart': 'ended',
  'a result larger than a frame': 'kept',
  'a killed running copy': 'state-restored',
  'killed checkpoints': 'kept',
  'a killed host': 'ended',
} as const

const inProcess: SessionOutcomes = {
  ...everywhere,
  'an out-of-memory kill': { cannot: 'Without isolation, there is no memory limit.' },
  [littleMemory]: { cannot: 'Without isolation, there is no memory limit.' },
  'a recreated working directory': 'state-kept',
  'a killed network helper': { cannot: 'Without isolation, there is no network list, and no helper.' },
  'kill -9 -1 by another program': {
    cannot: 'It would end all processes of the user on this machine, the host included.',
  },
  'a killed keeper': 'state-lost',
  'a stopped keeper': 'state-kept',
}

const inBubblewrap: SessionOutcomes = {
  ...everywhere,
  'an out-of-memory kill': resourceLimits.missing
    ? { cannot: 'This machine has no control group in which memory can be limited.' }
    : 'state-restored',
  [littleMemory]: resourceLimits.missing
    ? { cannot: 'This machine has no control group in which memory can be limited.' }
    : 'kept',
  // The session has the directory that was mounted at its start.
  'a recreated working directory': 'state-lost',
  'a killed network helper': 'state-kept',
  // Another program has a different process table.
  'kill -9 -1 by another program': 'kept',
  // It is process 1 of its process table, which no process inside can signal.
  'a killed keeper': 'kept',
  'a stopped keeper': 'kept',
}

function placeOf(own: LocalExecutorOptions, outcomes: SessionOutcomes) {
  const create = (options: LocalExecutorOptions = {}) =>
    new LocalCommandLineCodeExecutor({ ...own, ...options, stateful: true })
  return {
    create: (options: LocalExecutorOptions) => create(options),
    createListed: () => create({ network: { allowedHosts: ['example.org'] } }),
    createPool: () => new SandboxPool({ create: () => create(), size: 0, max: 1 }),
    host: [join(import.meta.dirname, 'programs/host-with-session.ts'), JSON.stringify(own)],
    outcomes,
  }
}

describe.skipIf(process.platform !== 'linux' || python.missing)('events', () => {
  describeSessionEvents(vitest, 'a local process', placeOf({}, inProcess))
})

describe.skipIf(bubblewrap.missing)('events', () => {
  const limits = resourceLimits.missing ? {} : { memoryBytes: 200 * 2 ** 20, pids: 256 }
  describeSessionEvents(vitest, 'bubblewrap', placeOf({ ...limits, isolation: 'bubblewrap' }, inBubblewrap))
})
