// @module-tag all

import { rm } from 'node:fs/promises'
import { PythonCodeExecutionTool, VenvPythonEnvironment } from '@fenced/python-env'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docker, TestImage } from './docker-support.ts'
import { collect, makeWheels, python, run, uv, type Wheels } from './support.ts'

const showParent = 'import os; print(os.getppid())'

describe.skipIf(python.missing)('warm programs of a virtual environment', () => {
  let wheels: Wheels
  beforeAll(async () => {
    wheels = await makeWheels()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  const venv = (packages: string[]) =>
    new VenvPythonEnvironment({
      packages,
      installer: uv.missing ? 'pip' : 'uv',
      installEnv: wheels.installEnv,
    })

  test('have its Python and its packages, imported beforehand', async () => {
    await using environment = venv(['tiny'])
    const { path } = await environment.interpreter()
    await using executor = await environment.createExecutor({ warm: { preload: ['tiny'] } })
    const code = 'import sys; print("tiny" in sys.modules, sys.executable, sys.prefix != sys.base_prefix)'
    expect((await run(executor, 'python', code)).output).toBe(`True ${path} True\n`)
    const parent = (await run(executor, 'python', showParent)).output
    expect((await run(executor, 'python', showParent)).output).toBe(parent)
  })

  test('cannot have imported what it has not', async () => {
    await using environment = venv([])
    await expect(environment.createExecutor({ warm: { preload: ['tiny'] } })).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
    })
  })

  test('find what was installed later, by hand or because they lacked it', async () => {
    await using environment = venv([])
    await using executor = await environment.createExecutor({
      warm: {},
      missingPackages: 'install',
      installablePackages: ['tiny-too'],
    })
    const tiny = 'import tiny; print(tiny.value)'
    expect((await run(executor, 'python', tiny)).status).toBe('error')
    await environment.install(['tiny'])
    expect((await run(executor, 'python', tiny)).output).toBe('42\n')
    expect(await run(executor, 'python', 'import tiny_too; print("there")')).toMatchObject({
      status: 'ok',
      output: 'there\n',
    })
  })

  test('of a tool are processes of their own all the same', async () => {
    await using environment = venv([])
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      warm: { preload: ['json'] },
    })
    const call = async (code: string) => (await collect(tool.execute({ code }))).at(-1)?.output
    const parent = await call(`x = 1; ${showParent}`)
    expect(await call(showParent)).toBe(parent)
    expect(await call('import sys; print("x" in globals(), "json" in sys.modules)')).toBe('False True\n')
  })
})

describe.skipIf(docker.missing)('warm programs of an environment in Docker', { tags: 'nightly' }, () => {
  test('have the packages of its image, imported beforehand', async () => {
    const image = await TestImage.make()
    try {
      await using environment = image.environment({ packages: ['tiny'] })
      await using executor = await environment.createExecutor({ warm: { preload: ['tiny'] } })
      const parent = (await run(executor, 'python', showParent)).output
      const code = `import sys, tiny; print("tiny" in sys.modules, tiny.value); ${showParent}`
      expect((await run(executor, 'python', code)).output).toBe(`True 42\n${parent}`)
    } finally {
      await image.remove()
    }
  })
})
