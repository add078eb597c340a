import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CodeExecutorAgent, RoundRobinGroupChat } from '@fenced/agents'
import { MaxMessageTermination } from '@fenced/agents/termination'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterAll, describe, expect, it } from 'vitest'
import { fenced } from './programs.ts'

const workDir = await mkdtemp(join(tmpdir(), 'fenced-executor-team-'))
const executor = new LocalCommandLineCodeExecutor({ workDir })
afterAll(async () => {
  await executor.stop()
  await rm(workDir, { recursive: true, force: true })
})

describe('SC-12: an agent that only runs code, in a team', () => {
  it('answers the user with what the program printed', async () => {
    const agent = new CodeExecutorAgent({ name: 'executor', executor, sources: ['user'] })
    const team = new RoundRobinGroupChat({
      participants: [agent],
      terminationCondition: new MaxMessageTermination({ maxMessages: 2 }),
    })
    const task = `Run this:\n\n${fenced('python', 'print("Hello, World!")')}`
    const { messages, status, stopReason } = await team.run({ task })
    const said = messages.map(({ source, content }) => [source, content])
    expect(said).toEqual([
      ['user', task],
      ['executor', 'Hello, World!\n'],
    ])
    expect(status).toBe('done')
    expect(stopReason).toMatch(/messages/i)
  })

  it('finds no code in what it has said itself, and says so', async () => {
    const agent = new CodeExecutorAgent({ name: 'executor', executor })
    const team = new RoundRobinGroupChat({ participants: [agent], maxTurns: 2 })
    const { messages } = await team.run({ task: fenced('python', 'print("```python\\nprint(1)\\n```")') })
    expect(messages.at(-1)).toMatchObject({
      content: expect.stringMatching(/^No code blocks found in the thread\./),
    })
  })
})
