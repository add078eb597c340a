import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { podman, podmanHost } from './requirements.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(podman.missing)('the contract on Podman', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'podman',
      create: (options) =>
        new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', docker: podmanHost }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
    },
  )
})
