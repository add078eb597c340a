import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('the contract', rowTags({ nightly: ['thirteen faults (sh)'] }), () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker',
      create: (options) => new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python' }),
      missingLanguages: ['javascript', 'typescript'],
    },
  )
})
