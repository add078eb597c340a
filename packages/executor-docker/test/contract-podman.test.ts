import { describeExecutor } from '@fenced/core/testing'
import { describe } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { podman, podmanHost } from './requirements.ts'
import { sideBySide } from './side-by-side.ts'

describe.skipIf(podman.missing)('the contract on Podman', () => {
  describeExecutor(sideBySide, {
    name: 'podman',
    create: (options) =>
      new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', docker: podmanHost }),
    missingLanguages: ['javascript', 'typescript', 'powershell'],
    faultLanguages: ['python'],
  })
})
