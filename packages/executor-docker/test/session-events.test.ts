// @module-tag nightly

import { describeSessionEvents } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('events', () => {
  describeSessionEvents({ describe, expect, it, vi }, 'a container', {
    create: (options) =>
      new DockerCommandLineCodeExecutor({
        ...options,
        image: 'fenced-test/python',
        memoryBytes: 200 * 2 ** 20,
        stateful: true,
      }),
    sharesProcesses: true,
    limitsMemory: true,
    recreatedDirectory: undefined,
    inheritsUmask: false,
    isolates: true,
    keeperIsProcess1: false,
  })
})
