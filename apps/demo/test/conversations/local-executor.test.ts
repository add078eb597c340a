import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConversableAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import '@fenced/executor-local/register'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterAll, describe, expect, it } from 'vitest'

const workDir = await mkdtemp(join(tmpdir(), 'fenced-conversation-'))
afterAll(() => rm(workDir, { recursive: true, force: true }))

const program = (code: string) => `\`\`\`sh\n${code}\n\`\`\``
const writing = (...answers: string[]) =>
  new ConversableAgent({ name: 'writer', humanInputMode: 'never', model: new ScriptedModel(answers) })

function running(
  executor: LocalCommandLineCodeExecutor | { name: string; options?: Record<string, unknown> },
) {
  return new ConversableAgent({ name: 'runner', humanInputMode: 'never', codeExecutionConfig: { executor } })
}

describe('a conversation on this machine', () => {
  it('runs what the model writes, with an executor that is asked for by its name', async () => {
    await using runner = running({ name: 'commandline-local', options: { workDir } })
    const writer = writing(program('echo six times seven > question; expr 6 \\* 7'), 'It is 42.\nTERMINATE')
    const { messages, summary } = await runner.initiateChat(writer, { message: 'What is it?' })
    expect(messages[2]?.content).toBe('exitcode: 0 (execution succeeded)\nCode output: \n42\n')
    expect(summary).toBe('It is 42.')
    expect(await readdir(workDir)).toEqual(['question'])
  })

  it.each(['aborted', 'left'])('ends a program and all that it has started when it is %s', async (how) => {
    const seconds = uniqueSeconds()
    await using executor = new LocalCommandLineCodeExecutor({ workDir })
    const runner = running(executor)
    const stop = new AbortController()
    const writer = writing(program(`sleep ${seconds} & echo begun; sleep ${seconds}`))
    const chat = runner.initiateChat(writer, { message: 'Wait.', signal: stop.signal })
    for await (const event of chat) {
      if (event.type !== 'code' || event.event.type !== 'stdout') continue
      if (how === 'left') break
      stop.abort()
    }
    const { status, messages } = await chat
    expect([status, messages.length]).toEqual(['cancelled', 2])
    expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    expect((await executor.execute([{ language: 'sh', code: 'echo usable' }])).output).toBe('usable\n')
  })
})
