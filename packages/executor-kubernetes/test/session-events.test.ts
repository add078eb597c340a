// @module-tag nightly

import { describeSessionEvents } from '@fenced/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

describe.skipIf(kubernetes.missing)('events', () => {
  afterAll(() => namespace?.remove())

  describeSessionEvents({ describe, expect, it, vi }, 'a pod', {
    create: (options) => executorIn(namespace?.name, { ...options, stateful: true }),
    sharesProcesses: true,
    limitsMemory: false,
    recreatedDirectory: undefined,
    inheritsUmask: false,
    isolates: true,
    keeperIsProcess1: false,
  })
})
