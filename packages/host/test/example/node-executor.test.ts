import { describeExecutor } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { NodeExecutor } from './node-executor.ts'

describeExecutor({ describe, it }, { name: 'node', create: (options) => new NodeExecutor(options) })
