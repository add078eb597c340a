import { describe, it } from 'vitest'
import { describeBackend } from '../../src/testing/describe-backend.ts'
import { create } from './local-backend.fixture.ts'

describeBackend(
  { describe, it },
  { name: 'local', create, module: import.meta.resolve('./local-backend.fixture.ts') },
)
