import { expect, it } from 'vitest'
import { describeEachExecutor } from './executors.ts'

describeEachExecutor((get) => {
  it('a directory to begin in that is not there is said, and nothing is run', async () => {
    const workingDirectory = 'not-there'
    const { exitCode, stdout, stderr } = await get().session.run({ command: 'echo run', workingDirectory })
    expect({ exitCode, stdout }).toEqual({ exitCode: 126, stdout: '' })
    expect(stderr).toContain(workingDirectory)
  })

  it('asking for standard input rejects before anything is started', async () => {
    const { session } = get()
    await expect(session.spawn({ command: 'touch made', stdin: true })).rejects.toMatchObject({
      code: 'SANDBOX_NO_STDIN',
    })
    expect(await session.stat({ path: 'made' })).toBeNull()
  })
})
