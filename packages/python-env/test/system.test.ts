// @module-tag all

import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { SystemPythonEnvironment, WorkingDirectory } from '@fenced/python-env'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folder, makeWheels, managed, python, run, uv, type Wheels } from './support.ts'

describe.skipIf(python.missing)('the system’s Python', () => {
  test('says what it is, as it says it itself', async () => {
    const environment = new SystemPythonEnvironment()
    const interpreter = await environment.interpreter()
    expect(interpreter).toMatchObject({ implementation: 'cpython', platform: process.platform })
    expect(interpreter.version).toMatch(/^3\.\d+\.\d+/)
    await using executor = await environment.createExecutor()
    const said = await run(
      executor,
      'python',
      'import sys, platform',
      'print(sys.executable, platform.python_version())',
    )
    expect(said.output).toBe(`${interpreter.path} ${interpreter.version}\n`)
  })

  test('runs in the working directory that it is given, and this process stays where it is', async () => {
    const [cwd, env] = [process.cwd(), { ...process.env }]
    await using environment = new SystemPythonEnvironment()
    await using directory = WorkingDirectory.createTmp()
    await using executor = await environment.createExecutor({
      workDir: directory,
      timeoutMs: 30_000,
    })
    await run(executor, 'python', "open('poem.txt', 'w').write('a poem')")
    const read = await run(executor, 'python', "import os; print(open('poem.txt').read(), os.getcwd())")
    expect(read.output).toBe(`a poem ${await realpath(directory.path)}\n`)
    expect([process.cwd(), process.env]).toEqual([cwd, env])
  })

  test('leaves the files in a directory that is named by its path', async () => {
    const results = join(await folder(), 'results')
    await using environment = new SystemPythonEnvironment()
    const executor = await environment.createExecutor({ workDir: results })
    await run(executor, 'python', "open('report.txt', 'w').write('kept')")
    await executor.stop()
    expect(await readFile(join(results, 'report.txt'), 'utf8')).toBe('kept')
  })

  test.each([7, {}, null])('refuses %j for a directory', async (workDir) => {
    await using environment = new SystemPythonEnvironment()
    await expect(environment.createExecutor({ workDir: workDir as never })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      data: { option: 'workDir' },
    })
  })

  test('two directories at once do not mix', async () => {
    const environment = new SystemPythonEnvironment()
    const results = await Promise.all(
      ['one', 'two'].map(async (text) => {
        await using directory = WorkingDirectory.createTmp()
        await using executor = await environment.createExecutor({ workDir: directory })
        await run(executor, 'python', `open('x.txt', 'w').write('${text}')`)
        return (await run(executor, 'python', "print(open('x.txt').read())")).output
      }),
    )
    expect(results).toEqual(['one\n', 'two\n'])
  })

  test('can still be used after stop()', async () => {
    const environment = new SystemPythonEnvironment()
    await environment.start()
    await environment.stop()
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'print(1)')).output).toBe('1\n')
  })

  test('an older version than the oldest that will do is refused', async () => {
    const environment = new SystemPythonEnvironment({ minimumVersion: '3.99' })
    await expect(environment.start()).rejects.toMatchObject({
      code: 'PYTHON_TOO_OLD',
      data: { version: expect.stringMatching(/^3\.\d+\.\d+$/), needed: '3.99', option: 'executable' },
    })
    await new SystemPythonEnvironment({ minimumVersion: '3.1' }).start()
  })

  test.each(['/no/such/python', '/etc/passwd', 'no-such-python'])(
    '%s is no Python, and that is said',
    async (executable) => {
      const environment = new SystemPythonEnvironment({ executable })
      await expect(environment.start()).rejects.toMatchObject({
        code: 'PYTHON_NOT_FOUND',
        data: { program: expect.stringMatching(new RegExp(`${executable}$`)), option: 'executable' },
      })
    },
  )

  test('wrong options are refused at the door', () => {
    expect(() => new SystemPythonEnvironment({ minimumVersion: 'new' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'minimumVersion' } }),
    )
  })

  describe('installing', () => {
    let wheels: Wheels
    beforeAll(async () => {
      wheels = await makeWheels()
    })
    afterAll(async () => {
      await using _ = new WorkingDirectory(wheels.path)
    })

    test.skipIf(managed.missing)(
      'into a Python of the operating system is refused, and the other way named',
      async () => {
        const environment = new SystemPythonEnvironment({ executable: '/usr/bin/python3' })
        expect((await environment.interpreter()).isExternallyManaged).toBe(true)
        await expect(environment.install(['tiny'])).rejects.toMatchObject({
          code: 'EXTERNALLY_MANAGED',
          data: { python: (await environment.interpreter()).path, packages: 'tiny' },
        })
      },
    )

    test.skipIf(managed.missing)('a program that tries it reads why it is refused', async () => {
      const environment = new SystemPythonEnvironment({ executable: '/usr/bin/python3' })
      await using executor = await environment.createExecutor()
      const programs = [
        ['bash', '/usr/bin/python3 -m pip install --no-index --dry-run tiny'],
        ...(uv.missing
          ? []
          : [['bash', 'uv pip install --no-index --dry-run --python /usr/bin/python3 tiny']]),
      ] as const
      for (const [language, code] of programs) {
        const result = await run(executor, language, code)
        expect.soft(result.output, code).toMatch(/is externally managed/)
        expect.soft(result.exitCode, code).not.toBe(0)
      }
    })

    test('into one of one’s own works', { tags: 'nightly' }, async () => {
      const { VenvPythonEnvironment } = await import('@fenced/python-env')
      const venv = new VenvPythonEnvironment({ venvPath: join(await folder(), 'venv'), installer: 'pip' })
      const { path } = await venv.interpreter()
      const environment = new SystemPythonEnvironment({ executable: path, installEnv: wheels.installEnv })
      await environment.install(['tiny'])
      await using executor = await environment.createExecutor()
      expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
    })
  })
})
