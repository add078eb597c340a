import { join } from 'node:path'
import { describeNetwork } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { DockerSandbox, type DockerSandboxOptions } from '../src/index.ts'
import { docker, podman, podmanHost, remote, remoteDocker, runsc } from './requirements.ts'

const tls = {
  caFile: join(remote.certificates, 'ca.pem'),
  certFile: join(remote.certificates, 'cert.pem'),
  keyFile: join(remote.certificates, 'key.pem'),
}
const engines: readonly {
  readonly name: string
  readonly requirement: { readonly missing: boolean }
  readonly options: DockerSandboxOptions
}[] = [
  { name: 'docker', requirement: docker, options: {} },
  { name: 'podman', requirement: podman, options: { docker: podmanHost } },
  { name: 'docker, remote', requirement: remoteDocker, options: { docker: { host: remote.host, tls } } },
  {
    name: 'docker, gVisor',
    requirement: runsc,
    options: { runtime: 'runsc', memoryBytes: false, pids: false },
  },
]

for (const { name, requirement, options } of engines) {
  describe.skipIf(requirement.missing)(`a network by list: ${name}`, () => {
    describeNetwork(
      { describe, it },
      {
        name,
        create: (network, lookup) =>
          new DockerSandbox({ image: 'fenced-test/python', ...options, network }, { lookup }),
      },
    )
  })
}
