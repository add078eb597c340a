import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(docker.missing)('the contract, warm', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker with a runner',
      create: (options) =>
        new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', warm: {} }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
    },
  )
})
