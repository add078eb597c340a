import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('the contract on nothing but BusyBox', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker, BusyBox',
      create: (options) => new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/busybox' }),
      missingLanguages: ['python', 'bash', 'javascript', 'typescript', 'powershell'],
    },
  )
})
