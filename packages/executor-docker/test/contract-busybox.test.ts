import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(docker.missing)('the contract on nothing but BusyBox', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker, BusyBox',
      create: (options) => new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/busybox' }),
      missingLanguages: ['python', 'bash', 'javascript', 'typescript'],
    },
  )
})
