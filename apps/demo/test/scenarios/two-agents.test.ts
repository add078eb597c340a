import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ConversableAgent, UserProxyAgent } from '@fenced/agents'
import { ScriptedHumanInput, ScriptedModel } from '@fenced/agents/testing'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { python } from '../demo.ts'
import { fenced, fibonacci, scatterPlot } from './programs.ts'
import { autoReply, banner, executing, noHumanInput, said, succeeded, transcriptOf } from './transcript.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-scenario-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const task = 'Write Python code to calculate the 14th Fibonacci number.'
const program = `Each number is the sum of the two before it.\n\n${fenced('python', fibonacci)}\n\nPlease run it.`
const goodbye = 'The 14th Fibonacci number, counted from 0, is 233.\n\nTERMINATE'

describe.skipIf(python.missing)('a writer and an executor', () => {
  it('SC-03: the tutorial: a person confirms every step, and ends it', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ workDir: folder, timeoutMs: 10_000 })
    const humanInput = new ScriptedHumanInput(['', ''])
    const runner = new ConversableAgent({
      name: 'code_executor_agent',
      humanInputMode: 'always',
      humanInput,
      codeExecutionConfig: { executor },
    })
    const writer = new ConversableAgent({
      name: 'code_writer_agent',
      systemMessage: AssistantAgent.defaultSystemMessage,
      model: new ScriptedModel([program, goodbye]),
    })
    const { text, result } = await transcriptOf(runner.initiateChat(writer, { message: task }))
    expect(text).toBe(
      [
        said('code_executor_agent', 'code_writer_agent', task),
        autoReply,
        said('code_writer_agent', 'code_executor_agent', program),
        noHumanInput,
        autoReply,
        executing('python'),
        said('code_executor_agent', 'code_writer_agent', succeeded('233\n')),
        autoReply,
        said('code_writer_agent', 'code_executor_agent', goodbye),
        noHumanInput,
      ].join(''),
    )
    expect(result).toMatchObject({
      status: 'done',
      summary: 'The 14th Fibonacci number, counted from 0, is 233.',
      humanInput: ['', ''],
    })
    expect(humanInput.requests.map(({ agent, partner }) => [agent, partner])).toEqual([
      ['code_executor_agent', 'code_writer_agent'],
      ['code_executor_agent', 'code_writer_agent'],
    ])
  })

  it('SC-04: a shell block and a Python block with a file name run in order, in one reply', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ workDir: folder, timeoutMs: 30_000 })
    const runner = new UserProxyAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    const both = [
      'First look for what is needed:',
      fenced('sh', 'python3 -m pip --version > /dev/null; echo "ready"'),
      'Then draw:',
      fenced('python', `# filename: stock_gains.py\n\n${scatterPlot}`),
    ].join('\n\n')
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel([both, 'TERMINATE']) })
    const { text } = await transcriptOf(runner.initiateChat(writer, { message: 'Plot it.' }))
    expect(text).toBe(
      [
        said('runner', 'writer', 'Plot it.'),
        said('writer', 'runner', both),
        banner('EXECUTING 2 CODE BLOCKS (inferred languages are [sh, python])...'),
        said('runner', 'writer', succeeded('ready\nScatter plot saved to scatter.png\n')),
        said('writer', 'runner', 'TERMINATE'),
      ].join(''),
    )
    expect((await readdir(folder)).sort()).toEqual(['scatter.png', 'stock_gains.py'])
  })

  it('SC-05: the presets do what the plain agents do', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ workDir: folder, timeoutMs: 10_000 })
    const humanInput = new ScriptedHumanInput(['', ''])
    const user = new UserProxyAgent({ name: 'user', humanInput, codeExecutionConfig: { executor } })
    const assistant = new AssistantAgent({ name: 'assistant', model: new ScriptedModel([program, goodbye]) })
    expect(assistant.systemMessage).toBe(AssistantAgent.defaultSystemMessage)
    expect(AssistantAgent.defaultSystemMessage).toMatch(/# filename:[\s\S]*TERMINATE/)
    const { text } = await transcriptOf(user.initiateChat(assistant, { message: task }))
    // An assistant has nobody to ask, so it does not say that it answers by itself.
    expect(text).toBe(
      [
        said('user', 'assistant', task),
        said('assistant', 'user', program),
        noHumanInput,
        autoReply,
        executing('python'),
        said('user', 'assistant', succeeded('233\n')),
        said('assistant', 'user', goodbye),
        noHumanInput,
      ].join(''),
    )
  })
})
