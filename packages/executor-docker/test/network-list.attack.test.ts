import { describeNetwork } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { DockerSandbox } from '../src/index.ts'
import { type EngineUnderTest, eachEngine } from './each-engine.ts'
import { runsc } from './requirements.ts'

const engines: readonly EngineUnderTest[] = [
  ...eachEngine,
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
