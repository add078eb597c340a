import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConversableAgent } from '@fenced/agents'
import { ScriptedHumanInput } from '@fenced/agents/testing'
import type { CodeExecutor } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterEach, beforeEach, expect, it } from 'vitest'
import '@fenced/executor-local/register'
import { python } from '../demo.ts'
import { containersOf, docker, images } from '../docker.ts'
import { fenced, scatterPlot } from './programs.ts'
import { autoReply, executing, noHumanInput, succeeded, transcriptOf } from './transcript.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-scenario-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const message = `This is a message with a code block.\n\n${fenced('python', scatterPlot)}\n\nThat was it.`

/** A person presses Enter, and the code of one message is run. */
async function replyTo(content: string, executor: CodeExecutor | string) {
  const humanInput = new ScriptedHumanInput([''])
  await using agent = new ConversableAgent({
    name: 'code_executor_agent',
    humanInputMode: 'always',
    humanInput,
    codeExecutionConfig: { executor },
  })
  const reply = agent.generateReply({ messages: [{ role: 'user', content }] })
  const { text, result } = await transcriptOf(reply)
  expect(humanInput.requests.map(({ prompt }) => prompt)).toEqual([
    "Replying as code_executor_agent. Provide feedback to the sender. Press enter to skip and use auto-reply, or type 'exit' to end the conversation: ",
  ])
  return { text, content: result?.content }
}

it.skipIf(python.missing)(
  'SC-01: a local executor runs the code of one message, and leaves its files',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({
      workDir: folder,
      timeoutMs: 10_000,
      cleanupTempFiles: false,
    })
    const { text, content } = await replyTo(message, executor)
    expect(content).toBe(succeeded('Scatter plot saved to scatter.png\n'))
    expect(text).toBe(`${noHumanInput}${autoReply}${executing('python')}`)
    const files = await readdir(folder)
    expect(files).toContain('scatter.png')
    expect(files.filter((name) => name.endsWith('.py'))).toHaveLength(1)
    expect(files).toHaveLength(2)
  },
)

it.skipIf(docker.missing)(
  'SC-02: a Docker executor does the same, and takes its container away',
  async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: images.python,
      workDir: folder,
      timeoutMs: 10_000,
    })
    const { text, content } = await replyTo(message, executor)
    expect(content).toBe(succeeded('Scatter plot saved to scatter.png\n'))
    expect(text).toBe(`${noHumanInput}${autoReply}${executing('python')}`)
    expect(await readdir(folder)).toEqual(['scatter.png'])
    expect(await containersOf(process.pid)).toHaveLength(1)
    await executor.stop()
    expect(await containersOf(process.pid)).toEqual([])
  },
)

it.skipIf(python.missing)('SC-06: an executor is chosen by its name', async () => {
  const { content } = await replyTo(
    fenced('python', 'import random\nprint(random.randint(1, 100))'),
    'commandline-local',
  )
  expect(content).toMatch(/^exitcode: 0 \(execution succeeded\)\nCode output: \n\d+\n$/)
})
