import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConversableAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import '@fenced/executor-jupyter/register'
import { jupyter, jupyterEnvironment } from '../jupyter.ts'
import { fenced } from './programs.ts'
import { banner, said, succeeded, transcriptOf } from './transcript.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-scenario-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** What a display of a picture is without any package. */
const picture = `from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')`

describe.skipIf(jupyter.missing)('a kernel', () => {
  it('SC-07: is chosen by its name, and a picture is told by its file', async () => {
    await using agent = new ConversableAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: {
        executor: { name: 'ipython-embedded', options: { python: jupyterEnvironment, workDir: folder } },
      },
    })
    const reply = await agent.generateReply({
      messages: [{ role: 'user', content: fenced('python', picture) }],
    })
    const [file] = await readdir(folder)
    expect(file).toMatch(/^result-\w+\.svg$/)
    expect(reply?.content).toContain(`Image data saved to ${join(folder, file ?? '')}`)
  })

  it('SC-16: keeps variables from one block to the next, through an answer without code', async () => {
    await using executor = new JupyterCodeExecutor({ python: jupyterEnvironment, workDir: folder })
    const runner = new ConversableAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    const plan = 'First a function that adds the two numbers before.'
    const definition =
      'def fibonacci(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a'
    const blocks = `${fenced('python', definition)}\n\nNow it is called:\n\n${fenced('python', 'fibonacci(14)')}`
    const writer = new ConversableAgent({
      name: 'writer',
      model: new ScriptedModel([plan, blocks]),
      humanInputMode: 'never',
      maxConsecutiveAutoReply: 2,
    })
    const task = 'Calculate the 14th Fibonacci number.'
    const { text, result } = await transcriptOf(runner.initiateChat(writer, { message: task }))
    expect(text).toBe(
      [
        said('runner', 'writer', task),
        said('writer', 'runner', plan),
        said('runner', 'writer', ''),
        said('writer', 'runner', blocks),
        banner('EXECUTING 2 CODE BLOCKS (inferred languages are [python, python])...'),
        said('runner', 'writer', succeeded('377\n')),
      ].join(''),
    )
    expect(result).toMatchObject({
      status: 'done',
      summary: succeeded('377\n'),
      humanInput: [],
      usage: { byModel: { scripted: { totalTokens: result.usage.totalTokens } } },
    })
    expect(result.messages).toHaveLength(5)
  })
})
