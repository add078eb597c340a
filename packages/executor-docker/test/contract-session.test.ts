import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(docker.missing)('the contract, with a session', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker with a session',
      create: (options) =>
        new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', stateful: true }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
    },
  )
})
