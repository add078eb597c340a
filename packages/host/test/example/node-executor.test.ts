import { describeExecutor, longTests } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { nodeExecutor } from './node-executor.ts'

describe.skipIf(longTests.missing)('the example of the README', () => {
  describeExecutor({ describe: describe.concurrent, it }, { name: 'node', create: nodeExecutor })
})
