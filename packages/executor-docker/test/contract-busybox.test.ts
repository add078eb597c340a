import { describeExecutor } from '@fenced/core/testing'
import { describe } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'
import { sideBySide } from './side-by-side.ts'

describe.skipIf(docker.missing)('the contract on nothing but BusyBox', () => {
  describeExecutor(sideBySide, {
    name: 'docker, BusyBox',
    create: (options) => new DockerCommandLineCodeExecutor({ ...options, image: 'fenced-test/busybox' }),
    missingLanguages: ['python', 'bash', 'javascript', 'typescript', 'powershell'],
  })
})
