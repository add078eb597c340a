import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { nodeExecutor } from './node-executor.ts'

describeExecutor(
  { describe: describe.concurrent, it },
  { name: 'node', create: nodeExecutor },
)
