import { describeHostTools } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const places: Readonly<Record<string, LocalExecutorOptions>> = {
  local: {},
  'local with `warm: false`': { warm: false },
}

describe.skipIf(python.missing)('host tools', () => {
  for (const [name, options] of Object.entries(places)) {
    describeHostTools({ describe, it }, { name, create: () => new LocalCommandLineCodeExecutor(options) })
  }
})

describe.skipIf(python.missing || bubblewrap.missing)('host tools in bubblewrap', () => {
  const create = () => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
  describeHostTools({ describe, it }, { name: 'local in bubblewrap', create })
})
