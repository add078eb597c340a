import { describeDirectoryCopy } from './describe-directory-copy.ts'
import { docker } from './requirements.ts'
import { rounds } from './rounds.ts'

describeDirectoryCopy({
  name: 'Docker',
  missing: docker.missing,
  connection: undefined,
  // Ten thousand files.
  directories: 100,
  histories: 3 * rounds,
  large: true,
})
