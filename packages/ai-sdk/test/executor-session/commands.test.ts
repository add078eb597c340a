import { rm } from 'node:fs/promises'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { expect, it } from 'vitest'
import { describeEachExecutor, toSandboxSession } from './executors.ts'

it('standard error says what was lost, also where the command succeeds', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const session = toSandboxSession(executor)
  await session.run({ command: 'true' })
  await rm(executor.workDir ?? '', { recursive: true })
  const { exitCode, stdout, stderr } = await session.run({ command: 'echo done' })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done\n' })
  expect(stderr).not.toBe('')
  expect(await session.run({ command: 'true' })).toMatchObject({ stderr: '' })
})

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
