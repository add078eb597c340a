// @module-tag nightly

import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('the contract with copied files, as another user', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker, copied files',
      create: (options) =>
        new DockerCommandLineCodeExecutor({
          ...options,
          image: 'fenced-test/python',
          workDirMode: 'copy',
          user: '4321:4321',
        }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
      except: {
        'a planted link to /, then # filename: rootlink/tmp/…/evil.py':
          'links are not copied, so the name is free on this machine, and a directory takes the link’s place',
      },
    },
  )
})
