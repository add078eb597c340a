import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { ScriptedModel } from '@fenced/agents/testing'
import { ApprovalQueue, type BlockResult, codeExecutionTool, type HostTools } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const { error } = spawnSync('python3', ['--version'])
const python = requirement('python', error && `python3 cannot be started (${error.message})`)

const weather = tool({
  description: 'The weather in a place.',
  inputSchema: z.object({ place: z.string(), days: z.int().min(1).default(1) }),
  outputSchema: z.array(z.object({ day: z.int(), celsius: z.number() })),
  execute: ({ place, days }) =>
    Array.from({ length: days }, (_, day) => ({ day, celsius: place.length + day })),
})

async function run(code: string, tools: HostTools): Promise<BlockResult | undefined> {
  await using executor = new LocalCommandLineCodeExecutor()
  return (await executor.execute([{ language: 'python', code }], { tools })).blocks[0]
}

describe.skipIf(python.missing)('tools of others are taken as they are', () => {
  it('of the AI SDK, with a schema of zod', async () => {
    const block = await run(
      'import tools\nprint(max(day["celsius"] for day in tools.weather("Rome", days=3)))',
      { weather },
    )
    expect(block).toMatchObject({ status: 'ok', output: '6\n' })
  })

  it('of the AI SDK, with JSON Schema and results that come bit by bit', async () => {
    const count = tool({
      inputSchema: jsonSchema<{ to: number }>({
        type: 'object',
        properties: { to: { type: 'integer' } },
        required: ['to'],
      }),
      async *execute({ to }) {
        for (let number = 1; number <= to; number++) yield number
      },
    })
    const code = 'import tools\nprint(tools.count(3))\ntools.count("x")'
    expect(await run(code, { count })).toMatchObject({
      status: 'error',
      stdout: '3\n',
      stderr: expect.stringContaining('ToolError: count: wrong arguments: to:'),
    })
  })

  it('of a server of the Model Context Protocol', async () => {
    const args = ['--conditions=@fenced/source', join(import.meta.dirname, 'programs/mcp-server.ts')]
    const transport = new StdioTransport({ command: process.execPath, args })
    const client = await createMCPClient({ transport })
    try {
      const code = `import tools
print(tools.get_price("apple")["structuredContent"])
print(tools.get_price("plum", currency="USD")["isError"])
help(tools.get_price)`
      const block = await run(code, await client.tools())
      expect(block?.output).toContain("{'price': 3, 'currency': 'EUR'}\nTrue\n")
      expect(block?.output).toContain('The price of a fruit.')
      expect(block?.toolCalls?.map((call) => call.tool)).toEqual(['get-price', 'get-price'])
    } finally {
      await client.close()
    }
  })
})

describe.skipIf(python.missing)('a tool that executes code, with tools', () => {
  it('says how they are called, and the model reads only what was printed', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const code = 'import tools\ndays = tools.weather("Oslo", days=2)\nprint(len(days), "days")'
    const input = { language: 'python', code }
    const model = new ScriptedModel([{ toolCalls: [{ name: 'execute_code', input }] }, 'Two days.'])
    const executeCode = codeExecutionTool(executor, { tools: { weather } })
    expect(executeCode.description).toContain('def weather(place: str, days: int = 1)')
    const { steps } = await generateText({
      model,
      prompt: 'How many days?',
      tools: { execute_code: executeCode },
      stopWhen: isStepCount(8),
    })
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ status: 'ok', output: '2 days\n' })
    expect(JSON.stringify(model.prompts)).not.toContain('celsius":5')
  })

  it('asks in the same queue as for code', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const questions = new ApprovalQueue()
    const code = `import tools
print(tools.weather("Oslo"))
try: tools.weather("Bonn")
except tools.ToolDenied as error: print(error)`
    const execution = executor.execute([{ language: 'python', code }], {
      tools: { weather },
      ask: { tool: questions.ask },
    })
    const asked: string[] = []
    for await (const event of questions.events()) {
      if (event.type !== 'approval-requested') continue
      const { id, question, kind } = event.request
      asked.push(`${kind}: ${question}`)
      const edit = { decision: 'edit', blocks: [{ language: 'python', code: '' }] } as const
      expect(() => questions.answer(id, edit)).toThrow(expect.objectContaining({ code: 'INVALID_APPROVAL' }))
      if (asked.length === 1) questions.answer(id, { decision: 'allow' })
      else {
        questions.answer(id, { decision: 'deny', reason: 'not Bonn' })
        break
      }
    }
    expect(asked).toEqual([
      'tool: A program (line 2) wants to call the tool weather with {"place":"Oslo","days":1}.',
      'tool: A program (line 3) wants to call the tool weather with {"place":"Bonn","days":1}.',
    ])
    expect((await execution).output).toBe("[{'day': 0, 'celsius': 4}]\nweather: not Bonn\n")
  })

  it('is refused for an executor whose programs cannot call any', () => {
    const executionPolicies = { python: false, javascript: false, typescript: false }
    const executor = new LocalCommandLineCodeExecutor({ executionPolicies })
    expect(() => codeExecutionTool(executor, { tools: { weather } })).toThrow(
      expect.objectContaining({ code: 'TOOLS_UNSUPPORTED' }),
    )
  })
})
