// @module-tag all

import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DecisionLedger } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  PythonCodeExecutionTool,
  type PythonEnvironment,
  type PythonToolInput,
  SystemPythonEnvironment,
  VenvPythonEnvironment,
  WorkingDirectory,
} from '@fenced/python-env'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, folder, lines, makeWheels, python, uv, type Wheels } from './support.ts'

const environment = new SystemPythonEnvironment()

/** Every output of a call. */
async function call(
  { execute }: PythonCodeExecutionTool,
  input: PythonToolInput,
  options?: { readonly abortSignal?: AbortSignal },
) {
  const outputs = await collect(execute(input, options))
  const last = outputs.at(-1)
  if (last === undefined) throw new Error('There was no output.')
  return { last, preliminary: outputs.slice(0, -1) }
}

describe.skipIf(python.missing)('D-39: programs', () => {
  test('run in the working directory that was given, and this process stays where it is', async () => {
    const cwd = process.cwd()
    await using workDir = WorkingDirectory.createTmp()
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, workDir })
    const { last } = await call(tool, { code: "import os; open('a.txt', 'w').write(os.getcwd())" })
    expect(last.files).toMatchObject([{ path: 'a.txt', absolutePath: join(workDir.path, 'a.txt') }])
    expect(process.cwd()).toBe(cwd)
    expect(existsSync('a.txt')).toBe(false)
    // The script itself does not stay.
    expect(await readdir(workDir.path)).toEqual(['a.txt'])
  })

  test('run in a relative working directory that is resolved once, where it was named', async () => {
    const cwd = process.cwd()
    const place = await folder()
    process.chdir(place)
    const workDir = new WorkingDirectory('coding')
    process.chdir(cwd)
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, workDir })
    await call(tool, { code: "open('a.txt', 'w').write('x')" })
    expect(await readdir(join(place, 'coding'))).toEqual(['a.txt'])
  })

  test('that run at the same time do not overwrite each other', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const calls = await Promise.all([1, 2, 3].map((number) => call(tool, { code: `print(${number})` })))
    expect(calls.map(({ last }) => last.output)).toEqual(['1\n', '2\n', '3\n'])
  })

  test('have the exit code that they end with', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const { last } = await call(tool, { code: 'raise SystemExit(42)' })
    expect(last).toMatchObject({ success: false, status: 'error', exitCode: 42 })
  })

  test('keep what they printed before their time limit', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, timeoutMs: 3_000 })
    const { last } = await call(tool, { code: lines("print('half')", 'while True: pass') })
    expect(last).toMatchObject({
      ...{ success: false, status: 'timeout', exitCode: 124 },
      output: expect.stringMatching(/^half\n/),
      notices: [{ code: 'timeout', data: { limitMs: '3000' } }],
    })
  })

  test('have 30 s, unless something else is said', async () => {
    let asked: unknown
    const spy: PythonEnvironment = Object.assign(Object.create(environment), {
      createExecutor(options: { timeoutMs: number; workDir: WorkingDirectory }) {
        asked = options.timeoutMs
        return environment.createExecutor(options)
      },
    })
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: spy })
    await call(tool, { code: 'print(1)' })
    expect(asked).toBe(30_000)
    expect(tool.description).toContain('after 30 s')
  })

  test('give results of one shape, whatever happens', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, timeoutMs: 1_000 })
    const inputs = [
      { code: 'print(1)' },
      { code: 'print(' },
      { code: 'while True: pass' },
      { code: '', packages: ['no'] },
    ]
    for (const input of inputs) {
      const { last } = await call(tool, input)
      expect(tool.outputSchema.parse(last)).toEqual(last)
      expect(JSON.parse(JSON.stringify(last))).toEqual(last)
      expect(Object.keys(last)).toEqual(
        expect.arrayContaining(['status', 'success', 'exitCode', 'output', 'files', 'notices']),
      )
    }
  })
})

describe.skipIf(python.missing)('the tool', () => {
  test('can be taken apart and spread', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const { execute, toModelOutput } = { ...tool }
    const [output] = await collect(execute({ code: 'pass' }))
    if (output === undefined) throw new Error('There was no output.')
    expect(toModelOutput({ output })).toEqual({ type: 'text', value: '(Nothing was printed.)' })
    expect(tool.name).toBe('python_execute_code')
  })

  test('takes the options of codeExecutionTool: programs call tools, and remembered answers outlive an executor', async () => {
    let asked = 0
    await using workDir = WorkingDirectory.createTmp()
    const add = {
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    }
    await using tool = new PythonCodeExecutionTool({
      ...{ pythonEnvironment: environment, workDir },
      tools: { add },
      ask: {
        code: () => {
          asked++
          return { decision: 'allow', remember: 'code' }
        },
      },
    })
    const input = { code: 'import tools; print(tools.add(a=2, b=3))' }
    expect(tool.description).toMatch(/^Runs a Python program .*Adds two numbers/s)
    expect((await call(tool, input)).last).toMatchObject({ status: 'ok', output: '5\n' })
    await tool.stop()
    expect((await call(tool, input)).last).toMatchObject({ status: 'ok', output: '5\n' })
    expect(asked).toBe(1)
  })

  test('keeps files in a directory of its own between calls, until it is stopped', async () => {
    const tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const { last } = await call(tool, { code: "open('a.txt', 'w').write('x')" })
    const path = last.files[0]?.absolutePath ?? ''
    expect((await call(tool, { code: "print(open('a.txt').read())" })).last.output).toBe('x\n')
    await tool.stop()
    expect(existsSync(path)).toBe(false)
    expect((await call(tool, { code: 'print(1)' })).last.output).toBe('1\n')
    await tool.stop()
    await tool.stop()
  })

  test('leaves a directory that was given to it where it is', async () => {
    await using workDir = WorkingDirectory.createTmp()
    const tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, workDir })
    await call(tool, { code: 'print(1)' })
    await tool.stop()
    expect(existsSync(workDir.path)).toBe(true)
  })

  test('makes one executor for all calls, and a new one when that has died', async () => {
    const made: LocalCommandLineCodeExecutor[] = []
    const mortal: PythonEnvironment = Object.assign(Object.create(environment), {
      async createExecutor(options: { workDir: WorkingDirectory }) {
        const executor = new LocalCommandLineCodeExecutor({ workDir: options.workDir.path })
        made.push(executor)
        return executor
      },
    })
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: mortal })
    await Promise.all([1, 2, 3].map(() => call(tool, { code: "open('a.txt', 'w').write('x')" })))
    expect(made).toHaveLength(1)
    await made[0]?.stop()
    await expect(call(tool, { code: 'print(1)' })).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
    expect((await call(tool, { code: "print(open('a.txt').read())" })).last.output).toBe('x\n')
    expect(made).toHaveLength(2)
  })

  test('says that it was cancelled, before and while it runs', async () => {
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const aborted = await call(tool, { code: 'print(1)' }, { abortSignal: AbortSignal.abort() })
    expect(aborted.last).toMatchObject({ status: 'cancelled', exitCode: 125, success: false })
    const controller = new AbortController()
    const seen: string[] = []
    const code = lines('import time', "print('begun')", 'time.sleep(600)')
    for await (const { status } of tool.execute({ code }, { abortSignal: controller.signal })) {
      seen.push(status)
      controller.abort()
    }
    expect(seen).toEqual(['running', 'cancelled'])
  })

  test('stop() ends what runs', async () => {
    const tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const seen: string[] = []
    for await (const { status } of tool.execute({
      code: lines('import time', "print('begun')", 'time.sleep(600)'),
    })) {
      seen.push(status)
      if (status === 'running') await tool.stop()
    }
    expect(seen).toEqual(['running', 'cancelled'])
  })

  test.each<[fault: object, option: string]>([
    [{ pythonEnvironment: undefined }, 'pythonEnvironment'],
    [{ pythonEnvironment: environment, workDir: 5 }, 'workDir'],
    [{ pythonEnvironment: environment, timeoutMs: 0 }, 'timeoutMs'],
    [{ pythonEnvironment: environment, name: 'my tool' }, 'name'],
    [{ pythonEnvironment: environment, installablePackages: ['--index-url=x'] }, 'installablePackages.0'],
    [{ pythonEnvironment: environment, libraries: [] }, 'libraries'],
  ])('refuses %j', (options, option) => {
    const make = () => new PythonCodeExecutionTool(options as { pythonEnvironment: PythonEnvironment })
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } }))
  })
})

describe.skipIf(python.missing)('packages', () => {
  let wheels: Wheels
  beforeAll(async () => {
    wheels = await makeWheels()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  const venv = () =>
    new VenvPythonEnvironment({ installer: uv.missing ? 'pip' : 'uv', installEnv: wheels.installEnv })

  test('that are asked for are there, and are installed once', async () => {
    await using environment = venv()
    const installed: string[][] = []
    const counting: PythonEnvironment = Object.assign(Object.create(environment), {
      createExecutor: environment.createExecutor.bind(environment),
      install: (packages: string[], options: object) => {
        installed.push(packages)
        return environment.install(packages, options)
      },
    })
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: counting,
      installablePackages: ['tiny', 'tiny_too==1.0'],
    })
    const input = { code: 'import tiny, tiny_too; print(tiny.value)', packages: ['Tiny-Too>=0.1', 'tiny'] }
    const calls = await Promise.all([call(tool, input), call(tool, input)])
    for (const { last, preliminary } of calls) {
      expect(last.output).toBe('42\n')
      expect(preliminary[0]).toMatchObject({
        status: 'running',
        progress: 'Installing tiny, tiny_too==1.0.',
      })
    }
    expect((await call(tool, input)).last.output).toBe('42\n')
    expect(installed).toEqual([['tiny', 'tiny_too==1.0']])
  })

  test('that are not among the installable ones are refused, and nothing is run', async () => {
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      installablePackages: ['tiny'],
    })
    for (const name of ['numpy', 'tiny-three', '--index-url=https://evil.test', './tiny.whl', '']) {
      const { last } = await call(tool, { code: 'print(1)', packages: ['tiny', name] })
      expect(last).toMatchObject({ status: 'denied', exitCode: 126, success: false })
      expect(last.output).toContain(`the package ${JSON.stringify(name)} may not be installed`)
    }
  })

  test('that do not exist are told in the installer’s words', async () => {
    await using environment = venv()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      installablePackages: 'any',
    })
    const { last } = await call(tool, { code: 'print(1)', packages: ['no-such-thing'] })
    expect(last).toMatchObject({ status: 'invalid', success: false })
    const error = await environment.install(['no-such-thing']).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'INSTALL_FAILED', data: { packages: 'no-such-thing' } })
    expect(last.output).toBe(`${error.message}\n`)
    expect((await call(tool, { code: 'print(1)' })).last.output).toBe('1\n')
  })

  test('that turn out to be missing are named to the model', async () => {
    await using environment = venv()
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment })
    const { last } = await call(tool, { code: 'import tiny' })
    expect(last).toMatchObject({
      success: false,
      notices: [
        {
          code: 'missing-package',
          data: {
            ...{ module: 'tiny', distribution: 'tiny' },
            command: expect.stringMatching(/-m pip install tiny$/),
          },
        },
      ],
    })
    const { value } = tool.toModelOutput({ output: last })
    expect(value).toContain(`${last.notices?.[0]?.message}\n\nExit code: 1`)
  })

  test('that turn out to be missing are installed where that is wanted', async () => {
    await using environment = venv()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      missingPackages: 'install',
      installablePackages: ['tiny'],
    })
    const { last } = await call(tool, { code: 'import tiny; print(tiny.value)' })
    expect(last).toMatchObject({ success: true, output: '42\n', notices: [{ code: 'package-installed' }] })
  })

  test('are asked about before they are installed, and so is the program', async () => {
    await using environment = venv()
    const installed: unknown[] = []
    const counting: PythonEnvironment = Object.assign(Object.create(environment), {
      createExecutor: environment.createExecutor.bind(environment),
      install: async (packages: string[]) => void installed.push(packages),
    })
    const answers = { code: 'allow', install: 'deny' } as Record<string, 'allow' | 'deny'>
    const requests: unknown[] = []
    const ledger = new DecisionLedger()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: counting,
      installablePackages: ['tiny'],
      ledger,
      ask: (request) => {
        requests.push(request)
        return answers[request.kind]
      },
    })
    const input = { code: 'print(1)', packages: ['tiny'] }
    expect((await call(tool, input)).last).toMatchObject({ status: 'denied', success: false })
    expect(requests).toMatchObject([
      { kind: 'install', packages: ['tiny'], index: `${wheels.path}`, target: { executor: 'local' } },
    ])
    expect(installed).toEqual([])
    answers.install = 'allow'
    expect((await call(tool, input)).last).toMatchObject({ status: 'ok', output: '1\n' })
    expect(requests.slice(1)).toMatchObject([{ kind: 'install' }, { kind: 'code' }])
    expect(installed).toEqual([['tiny']])
    answers.code = 'deny'
    expect((await call(tool, input)).last).toMatchObject({ status: 'denied' })
    expect((await ledger.list()).map(({ kind, state }) => [kind, state])).toEqual([
      ['install', 'denied'],
      ['install', 'finished'],
      ['code', 'finished'],
      ['code', 'denied'],
    ])
  })

  test('a call that is cancelled while packages are installed says so', async () => {
    await using environment = venv()
    await environment.start()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      installablePackages: ['tiny'],
    })
    const controller = new AbortController()
    const seen: string[] = []
    const input = { code: 'print(1)', packages: ['tiny'] }
    for await (const { status } of tool.execute(input, { abortSignal: controller.signal })) {
      seen.push(status)
      controller.abort()
    }
    expect(seen).toEqual(['running', 'cancelled'])
  })
})
