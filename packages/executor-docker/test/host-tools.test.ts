import { describeHostTools } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { eachEngine, gVisor } from './each-engine.ts'

const rows = rowTags({
  nightly: [
    'podman: ',
    'remote: ',
    { in: ': host tools > ', except: ['a program passes values', 'programs in other languages'] },
  ],
})

for (const { name, requirement, options } of eachEngine) {
  describe.skipIf(requirement.missing)(`host tools: ${name}`, rows, () => {
    const create = () => new DockerCommandLineCodeExecutor({ image: 'fenced-test/python', ...options })
    describeHostTools({ describe, it }, { name, create, withoutNode: 'the image of the tests has no Node' })
  })
}

describe.skipIf(gVisor.requirement.missing)('host tools: docker, gVisor', () => {
  it('are refused with the reason, because a program there could leave orphans that nobody adopts', async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/python',
      ...gVisor.options,
    })
    const code = 'import tools; print(tools.echo(a=1))'
    const tools = { echo: (input: object) => input }
    const { blocks } = await executor.execute([{ language: 'python', code }], { tools })
    expect(blocks[0]).toMatchObject({ status: 'invalid', toolCalls: [] })
    expect(blocks[0]?.notices).toContainEqual(expect.objectContaining({ code: 'tools-unavailable' }))
  })
})
