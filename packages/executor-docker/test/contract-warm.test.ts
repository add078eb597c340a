import { describeExecutor } from '@fenced/core/testing'
import { describe } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'
import { sideBySide } from './side-by-side.ts'

describe.skipIf(docker.missing)('the contract, warm', () => {
  describeExecutor(sideBySide, {
    name: 'docker with a runner',
    create: (options) =>
      new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python', warm: true }),
    missingLanguages: ['javascript', 'typescript', 'powershell'],
    faultLanguages: ['python'],
  })
})
