import { describeSecrets } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { DockerSandbox } from '../src/index.ts'
import { eachEngine, gVisor } from './each-engine.ts'

const [authority, impostor] = await Promise.all([SandboxAuthority.create(), SandboxAuthority.create()])

const rows = rowTags({ nightly: ['podman: ', 'remote: ', 'gVisor: '] })

for (const { name, requirement, options } of [...eachEngine, gVisor]) {
  describe.skipIf(requirement.missing)(`secrets: ${name}`, rows, () => {
    describeSecrets(
      { describe, it },
      {
        name,
        create: (network, lookup) =>
          new DockerSandbox({ image: 'fenced-test/python', ...options, network }, { lookup }),
        ...{ authority, impostor },
      },
    )
  })
}
