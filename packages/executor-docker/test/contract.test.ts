import { describeExecutor } from '@fenced/core/testing'
import { describe } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'
import { sideBySide } from './side-by-side.ts'

describe.skipIf(docker.missing)('the contract', () => {
  describeExecutor(sideBySide, {
    name: 'docker',
    create: (options) => new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/python' }),
    missingLanguages: ['javascript', 'typescript', 'powershell'],
  })
})
