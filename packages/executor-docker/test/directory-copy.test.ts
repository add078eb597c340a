import { describeDirectoryCopy } from './describe-directory-copy.ts'
import { docker } from './requirements.ts'
import { rounds } from './rounds.ts'

describeDirectoryCopy({
  name: 'Docker',
  missing: docker.missing,
  connection: undefined,
  // Three thousand files.
  directories: 30,
  histories: 3 * rounds,
  large: true,
})
