// @module-tag all

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'
import { generateText, isStepCount } from 'ai'
import { describe, expect, it } from 'vitest'
import { modelServer } from '../model-server.ts'

// What a program draws, on its way through the providers' own packages to servers that speak their protocols.

const python = process.env.FENCED_TEST_JUPYTER ?? ''
const matplotlib = requirement('jupyter', problem())

function problem(): string | undefined {
  try {
    execFileSync(join(python, 'bin/python'), ['-c', 'import matplotlib'])
    return undefined
  } catch {
    return 'FENCED_TEST_JUPYTER names no virtual environment that has Matplotlib.'
  }
}

const code = 'import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()'
const isPng = (data: string) => Buffer.from(data, 'base64').subarray(1, 4).toString() === 'PNG'

describe.skipIf(matplotlib.missing)('a picture', () => {
  it('reaches Claude as an image in the result of the tool', async () => {
    const message = {
      type: 'message',
      role: 'assistant',
      model: 'any',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const { asked, baseURL } = await modelServer([
      {
        ...message,
        id: 'call',
        content: [{ type: 'tool_use', id: 'use', name: 'execute_code', input: { code } }],
        stop_reason: 'tool_use',
      },
      { ...message, id: 'end', content: [{ type: 'text', text: 'It goes up.' }], stop_reason: 'end_turn' },
    ])
    await using executor = new LocalCommandLineCodeExecutor({ python })
    const { text } = await generateText({
      model: createAnthropic({ baseURL, apiKey: 'none' })('claude-sonnet-4-5'),
      prompt: 'Draw it.',
      tools: { execute_code: codeExecutionTool(executor, { pictures: true }) },
      stopWhen: isStepCount(3),
    })
    expect(text).toBe('It goes up.')
    const [result] = asked[1].messages.at(-1).content
    expect(result).toMatchObject({
      type: 'tool_result',
      content: [
        { type: 'text', text: expect.stringContaining('Image data saved to') },
        { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
      ],
    })
    expect(isPng(result.content[1].source.data)).toBe(true)
  })

  it('reaches an OpenAI model as an image in the output of the call', async () => {
    const response = {
      object: 'response',
      created_at: 1,
      model: 'any',
      status: 'completed',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const call = { type: 'function_call', id: 'f', call_id: 'c', name: 'execute_code', status: 'completed' }
    const said = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'It goes up.', annotations: [] }],
    }
    const { asked, baseURL } = await modelServer([
      { ...response, id: 'r1', output: [{ ...call, arguments: JSON.stringify({ code }) }] },
      { ...response, id: 'r2', output: [said] },
    ])
    await using executor = new LocalCommandLineCodeExecutor({ python })
    const { text } = await generateText({
      model: createOpenAI({ baseURL, apiKey: 'none' }).responses('any'),
      prompt: 'Draw it.',
      tools: { execute_code: codeExecutionTool(executor, { pictures: true }) },
      stopWhen: isStepCount(3),
    })
    expect(text).toBe('It goes up.')
    const { output } = asked[1].input.at(-1)
    expect(output).toMatchObject([{ type: 'input_text' }, { type: 'input_image' }])
    expect(isPng(String(output[1].image_url).replace('data:image/png;base64,', ''))).toBe(true)
  })
})
