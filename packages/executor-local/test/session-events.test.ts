// @module-tag all

import { describeSessionEvents } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const vitest = { describe, expect, it, vi }
const limits = resourceLimits.missing ? {} : { memoryBytes: 300 * 2 ** 20, pids: 256 }

describe.skipIf(process.platform !== 'linux' || python.missing)('events', () => {
  describeSessionEvents(vitest, 'a local process', {
    create: (options) => new LocalCommandLineCodeExecutor({ ...options, stateful: true }),
    sharesProcesses: true,
    limitsMemory: false,
    recreatedDirectory: 'state-kept',
    inheritsUmask: true,
    isolates: false,
    keeperIsProcess1: false,
  })
})

describe.skipIf(bubblewrap.missing)('events', () => {
  describeSessionEvents(vitest, 'bubblewrap', {
    create: (options) =>
      new LocalCommandLineCodeExecutor({ ...options, ...limits, isolation: 'bubblewrap', stateful: true }),
    sharesProcesses: false,
    limitsMemory: !resourceLimits.missing,
    recreatedDirectory: 'state-lost',
    inheritsUmask: true,
    isolates: true,
    keeperIsProcess1: true,
  })
})
