// @module-tag nightly

import { join } from 'node:path'
import { describeDirectoryCopy } from './describe-directory-copy.ts'
import { remote, remoteDocker } from './requirements.ts'
import { rounds } from './rounds.ts'

const file = (name: string) => join(remote.certificates, name)
const tls = { caFile: file('ca.pem'), certFile: file('cert.pem'), keyFile: file('key.pem') }

describeDirectoryCopy({
  name: 'a remote Docker',
  missing: remoteDocker.missing,
  connection: { host: remote.host, tls },
  directories: 10,
  histories: 2 * rounds,
  large: false,
  onlyReachedOtherwise: true,
})
