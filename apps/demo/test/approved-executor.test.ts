// @module-tag all

import { approveByPerson } from '@fenced/agents'
import { ScriptedHumanInput } from '@fenced/agents/testing'
import { describeExecutor } from '@fenced/contract'
import { askingExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { python } from './demo.ts'

/** Also with somebody who is asked, it keeps the contract of all executors. */
describe('approved', rowTags({ nightly: [{ except: [': results'] }] }), () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'local, approved by a person',
      create: (options) =>
        askingExecutor(new LocalCommandLineCodeExecutor(options), {
          code: approveByPerson(new ScriptedHumanInput(() => 'y')),
        }),
      missingLanguages: python.missing ? ['python'] : [],
      faultLanguages: [python.missing ? 'javascript' : 'python'],
    },
  )
})
