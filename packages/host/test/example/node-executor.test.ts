import { describeExecutor } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { nodeExecutor } from './node-executor.ts'

describeExecutor({ describe: describe.concurrent, it }, { name: 'node', create: nodeExecutor })
