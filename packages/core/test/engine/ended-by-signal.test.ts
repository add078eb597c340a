import { expect, test } from 'vitest'
import { blocks, fakeExecutor, type Program } from '../../src/engine/fake-driver.fixture.ts'

const ending =
  (exitCode: number): Program =>
  async () => ({ exitCode })

test('a program that a signal ended has a sentence with the name of the signal', async () => {
  const programs = { killed: ending(137), crashed: ending(139), failed: ending(3), beyond: ending(255) }
  const { executor } = fakeExecutor({ programs })
  for (const [program, signal] of [
    ['killed', 'SIGKILL'],
    ['crashed', 'SIGSEGV'],
  ] as const) {
    const result = await executor.execute(blocks(program))
    const [notice, ...others] = result.blocks[0]?.notices ?? []
    expect(notice).toMatchObject({ code: 'ended-by-signal', data: { signal } })
    expect(others).toEqual([])
    expect(result.output).toContain(notice?.message)
  }
  for (const program of ['failed', 'beyond'])
    expect((await executor.execute(blocks(program))).blocks[0]?.notices).toEqual([])
})
