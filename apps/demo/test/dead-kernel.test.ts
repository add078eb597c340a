// @module-tag all

import { CodeExecutorAgent, ConversableAgent, UserProxyAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { describe, expect, it } from 'vitest'
import { jupyter, jupyterEnvironment } from './jupyter.ts'

const cell = (code: string) => `\`\`\`python\n${code}\n\`\`\``
const cells = [cell('x = 1'), cell('import os\nos._exit(3)'), cell('print(type(globals().get("x")))')]

describe.skipIf(jupyter.missing)('a kernel that dies in a conversation', () => {
  it('is made new, and the writer learns that its variables are lost', async () => {
    await using executor = new JupyterCodeExecutor({ python: jupyterEnvironment })
    const runner = new UserProxyAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    const writer = new ConversableAgent({
      name: 'writer',
      humanInputMode: 'never',
      model: new ScriptedModel([...cells, 'TERMINATE']),
    })
    const { messages } = await runner.initiateChat(writer, { message: 'Begin.' })
    const results = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []))
    expect(results).toHaveLength(4)
    expect(results[2]).toMatch(/execution failed.*started again: all variables and imports are lost/s)
    expect(results[3]).toBe("exitcode: 0 (execution succeeded)\nCode output: \n<class 'NoneType'>\n")
  })

  it('is made new by a CodeExecutorAgent, whose next try runs', async () => {
    await using executor = new JupyterCodeExecutor({ python: jupyterEnvironment })
    const decision = JSON.stringify({ reason: 'Do not exit.', retry: true })
    const model = new ScriptedModel([cells[1] ?? '', decision, cells[2] ?? '', 'It was nothing.'])
    const coder = new CodeExecutorAgent({
      name: 'coder',
      executor,
      model,
      maxRetriesOnError: 1,
    })
    const { messages, events } = await coder.run({ task: 'Find out.' })
    const contents = events.flatMap((event) => (event.type === 'code-end' ? [event.content] : []))
    expect(contents[0]).toMatch(/status: died\).*all variables and imports are lost/s)
    expect(contents[1]).toBe("<class 'NoneType'>\n")
    expect(messages.at(-1)).toMatchObject({ content: 'It was nothing.' })
  })
})
