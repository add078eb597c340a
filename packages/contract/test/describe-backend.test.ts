// @module-tag all

import { describe, it } from 'vitest'
import { describeBackend } from '../src/describe-backend.ts'
import { create } from './local-backend.fixture.ts'

describeBackend(
  { describe, it },
  { name: 'local', create, module: import.meta.resolve('./local-backend.fixture.ts') },
)
