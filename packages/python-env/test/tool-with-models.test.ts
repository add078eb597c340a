// @module-tag all

import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolOutput } from '@fenced/core/tool'
import {
  PythonCodeExecutionTool,
  type PythonToolInput,
  SystemPythonEnvironment,
  VenvPythonEnvironment,
  WorkingDirectory,
} from '@fenced/python-env'
import {
  generateText,
  type InferToolInput,
  type InferToolOutput,
  isStepCount,
  streamText,
  type Tool,
} from 'ai'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { scriptedModel, toolTextsOf } from './scripted-model.ts'
import { lines, python } from './support.ts'

const stopWhen = isStepCount(10)

test('it is a tool of the AI SDK', () => {
  expectTypeOf<PythonCodeExecutionTool>().toExtend<Tool<PythonToolInput, ToolOutput>>()
  expectTypeOf<InferToolInput<PythonCodeExecutionTool>>().toEqualTypeOf<PythonToolInput>()
  expectTypeOf<InferToolOutput<PythonCodeExecutionTool>>().toEqualTypeOf<ToolOutput>()
})

describe.skipIf(python.missing)('a model that has the tool', () => {
  test('reads the traceback of a program with a syntax error, and mends it', async () => {
    const [environment, directory] = [new SystemPythonEnvironment(), WorkingDirectory.createTmp()]
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.use(directory)
    const tool = cleanUp.use(
      new PythonCodeExecutionTool({ pythonEnvironment: environment, workDir: directory }),
    )
    const model = scriptedModel(
      [{ code: 'for number in range(3)\n    print(number)' }],
      [{ code: 'for number in range(3):\n    print(number)' }],
      'It prints 0, 1 and 2.',
    )
    const result = await generateText({ model, tools: { python: tool }, stopWhen, prompt: 'Count to 3.' })
    expect(result.text).toBe('It prints 0, 1 and 2.')
    expect(toolTextsOf(model)).toEqual([
      { type: 'error-text', value: expect.stringMatching(/SyntaxError: .*\n\nExit code: 1 \(error\)$/) },
      { type: 'text', value: '0\n1\n2' },
    ])
    expect(outputsOf(result.steps)).toMatchObject([
      { success: false, status: 'error', exitCode: 1, error: expect.stringContaining('SyntaxError') },
      { success: true, status: 'ok', exitCode: 0, output: '0\n1\n2\n' },
    ])
  })

  test('writes a file with one program and reads it with another', async () => {
    await using environment = new VenvPythonEnvironment()
    await using directory = WorkingDirectory.createTmp()
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      workDir: directory,
    })
    const model = scriptedModel(
      [{ code: "open('poem.txt', 'w').write('roses are red')" }],
      [{ code: "print(open('poem.txt').read())" }],
      'There it is.',
    )
    await generateText({ model, tools: { python }, stopWhen, prompt: 'Write a poem, and read it.' })
    expect(toolTextsOf(model)).toEqual([
      {
        type: 'text',
        value: '(Nothing was printed.)\n\nFiles in the working directory:\n- poem.txt (created, 13 bytes)',
      },
      { type: 'text', value: 'roses are red' },
    ])
    expect(await readFile(join(directory.path, 'poem.txt'), 'utf8')).toBe('roses are red')
    expect(existsSync('poem.txt')).toBe(false)
  })

  test('is told what the tool is', async () => {
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      installablePackages: ['pandas', 'rich>=13'],
    })
    const model = scriptedModel('Thanks.')
    await generateText({ model, tools: { python }, prompt: 'What can you do?' })
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      {
        type: 'function',
        name: 'python',
        description: expect.stringMatching(/print the results.*after 30 s.*: pandas, rich>=13\.$/),
        inputSchema: {
          type: 'object',
          properties: { code: { type: 'string' }, packages: { type: 'array', items: { type: 'string' } } },
          required: ['code'],
        },
      },
    ])
  })

  test('may run several programs in one answer: none gets the file of another', async () => {
    await using directory = WorkingDirectory.createTmp()
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      workDir: directory,
    })
    const numbers = [1, 2, 3, 4, 5]
    const model = scriptedModel(
      numbers.map((number) => ({ code: `print(${number}, __file__)` })),
      'Done.',
    )
    const { steps } = await generateText({ model, tools: { python }, stopWhen, prompt: 'Go.' })
    const outputs = outputsOf(steps).map(({ output }) => output)
    expect(outputs.map((output) => output.split(' ')[0])).toEqual(numbers.map(String))
    expect(new Set(outputs.map((output) => output.split(' ')[1])).size).toBe(5)
  })

  test('streams what a program prints before its end', async () => {
    await using directory = WorkingDirectory.createTmp()
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      workDir: directory,
    })
    const goOn = join(directory.path, 'go-on')
    const code = lines(
      'import os, time',
      "print('begun')",
      `while not os.path.exists(${JSON.stringify(goOn)}): time.sleep(0.01)`,
      "print('done')",
    )
    const model = scriptedModel([{ code }], 'It is done.')
    const { stream } = streamText({ model, tools: { python }, stopWhen, prompt: 'Go.' })
    const seen: [boolean, string][] = []
    for await (const part of stream) {
      if (part.type !== 'tool-result') continue
      const { preliminary = false, output } = part as { preliminary?: boolean; output: ToolOutput }
      seen.push([preliminary, output.output])
      // It goes on only when its first words are here.
      if (output.status === 'running') await writeFile(goOn, '')
    }
    expect(seen[0]).toEqual([true, expect.stringMatching(/^begun/)])
    expect(seen.at(-1)).toEqual([false, 'begun\ndone\n'])
    expect(toolTextsOf(model)).toEqual([{ type: 'text', value: expect.stringMatching(/^begun\ndone/) }])
  })

  test('that is aborted leaves no program running', async () => {
    await using directory = WorkingDirectory.createTmp()
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      workDir: directory,
    })
    const code = lines(
      'import os, time',
      "open('pid.txt', 'w').write(str(os.getpid()))",
      "print('begun')",
      'time.sleep(600)',
    )
    const controller = new AbortController()
    const { stream } = streamText({
      model: scriptedModel([{ code }], 'Never.'),
      tools: { python },
      stopWhen,
      prompt: 'Go.',
      abortSignal: controller.signal,
    })
    for await (const part of stream) if (part.type === 'tool-result') controller.abort()
    const pid = Number(await readFile(join(directory.path, 'pid.txt'), 'utf8'))
    for (let attempt = 0; attempt < 200 && isRunning(pid); attempt++) await sleep(50)
    expect(isRunning(pid)).toBe(false)
  })

  test('reads a part of 10 MB, and the program gets all of it', async () => {
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      maxOutputBytes: 20_000_000,
    })
    const model = scriptedModel([{ code: "print('x' * 10_000_000)" }], 'That is long.')
    const { steps } = await generateText({ model, tools: { python }, stopWhen, prompt: 'Go.' })
    expect(outputsOf(steps)[0]?.output).toHaveLength(10_000_001)
    const [text] = toolTextsOf(model)
    const { value } = text as { value: string }
    expect(value.length).toBeLessThan(16_200)
    expect(value).toContain('[... 9984001 of 10000001 characters left out ...]')
  })

  test('and asks for a package that it may not have reads which ones it may', async () => {
    await using python = new PythonCodeExecutionTool({
      pythonEnvironment: new SystemPythonEnvironment(),
      installablePackages: ['pandas'],
    })
    const model = scriptedModel([{ code: 'print(1)', packages: ['requests'] }], 'A pity.')
    await generateText({ model, tools: { python }, stopWhen, prompt: 'Go.' })
    expect(toolTextsOf(model)).toEqual([
      {
        type: 'error-text',
        value: expect.stringMatching(
          /^Nothing was run, because the package "requests" may not be installed\. .*: pandas\..*\n\nExit code: 126 \(denied\)$/,
        ),
      },
    ])
  })

  test('reads why there is no Python', async () => {
    const pythonEnvironment = new SystemPythonEnvironment({ executable: '/no/python' })
    const error = await pythonEnvironment.start().catch((reason) => reason)
    expect(error).toMatchObject({ code: 'PYTHON_NOT_FOUND', data: { program: '/no/python' } })
    await using python = new PythonCodeExecutionTool({ pythonEnvironment })
    const model = scriptedModel([{ code: 'print(1)' }], 'A pity.')
    await generateText({ model, tools: { python }, stopWhen, prompt: 'Go.' })
    expect(toolTextsOf(model)).toEqual([{ type: 'error-text', value: `${error}` }])
  })
})

/** What the program gets of the calls, in order. */
function outputsOf(
  steps: ReadonlyArray<{ readonly toolResults: ReadonlyArray<{ readonly output: unknown }> }>,
) {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as ToolOutput))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
