import { outputOf } from '@fenced/contract'
import { allowedSockets, socketFamiliesProgram } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerSandbox } from '../src/index.ts'
import { gVisor } from './each-engine.ts'

describe.skipIf(gVisor.requirement.missing)('a program in a container with gVisor', () => {
  it('makes sockets of no other families than in bubblewrap', async () => {
    await using sandbox = new DockerSandbox({ image: 'fenced-test/python', ...gVisor.options })
    await sandbox.start()
    const output = await outputOf(sandbox, ['python3', '-c', socketFamiliesProgram])
    const { families, pairs } = allowedSockets
    // Its io_uring is part of gVisor, and makes the same sockets.
    const detours = expect.not.arrayContaining(['socketcall', 'x32'])
    expect(JSON.parse(output)).toMatchObject({ families, pairs, detours })
  })
})
