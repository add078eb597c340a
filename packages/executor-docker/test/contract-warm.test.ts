import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('the contract, warm', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker with a runner',
      create: (options) =>
        new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', warm: true }),
      missingLanguages: ['javascript', 'typescript', 'powershell'],
      faultLanguages: ['python'],
    },
  )
})
