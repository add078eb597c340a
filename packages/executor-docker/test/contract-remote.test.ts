// @module-tag nightly

import { join } from 'node:path'
import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { remote, remoteDocker } from './requirements.ts'

const tls = {
  caFile: join(remote.certificates, 'ca.pem'),
  certFile: join(remote.certificates, 'cert.pem'),
  keyFile: join(remote.certificates, 'key.pem'),
}

describe.skipIf(remoteDocker.missing)('the contract on an engine behind TLS', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker, remote',
      create: (options) =>
        new DockerCommandLineCodeExecutor({
          ...options,
          image: 'fenced-test/python',
          docker: { host: remote.host, tls },
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
