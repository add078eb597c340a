import { describeNetwork } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { DockerSandbox } from '../src/index.ts'
import { eachEngine, gVisor } from './each-engine.ts'

const rows = rowTags({ nightly: ['podman: ', 'remote: ', 'gVisor: '] })

for (const { name, requirement, options } of [...eachEngine, gVisor]) {
  describe.skipIf(requirement.missing)(`a network by list: ${name}`, rows, () => {
    describeNetwork(
      { describe, it },
      {
        ...{ name, hasHelperUser: true },
        create: (network, lookup) =>
          new DockerSandbox({ image: 'fenced-test/python', ...options, network }, { lookup }),
      },
    )
  })
}
