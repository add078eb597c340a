// @module-tag nightly

import { describeDirectoryCopy } from './describe-directory-copy.ts'
import { podman, podmanHost } from './requirements.ts'
import { rounds } from './rounds.ts'

describeDirectoryCopy({
  name: 'Podman',
  missing: podman.missing,
  connection: podmanHost,
  directories: 10,
  histories: 2 * rounds,
  large: false,
})
