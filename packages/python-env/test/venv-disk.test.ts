// @module-tag nightly

import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { VenvPythonEnvironment } from '@fenced/python-env'
import { SmallDisk, smallDisk } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeWheels, python, run, uv, type Wheels } from './support.ts'

describe.skipIf(python.missing || smallDisk.missing)('a virtual environment', () => {
  let wheels: Wheels
  beforeAll(async () => {
    wheels = await makeWheels()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  describe.each(uv.missing ? (['pip'] as const) : (['pip', 'uv'] as const))('made with %s', (installer) => {
    test('on a disk that is too small says so, and leaves nothing', async () => {
      using disk = new SmallDisk('size=1m')
      const path = join(disk.path, 'venv')
      const environment = new VenvPythonEnvironment({
        venvPath: path,
        installer,
        installEnv: wheels.installEnv,
      })
      const error = await environment.start().catch((reason) => reason)
      expect(error).toMatchObject({ code: 'VENV_FAILED', data: { path, freeBytes: expect.any(String) } })
      expect(await readdir(disk.path)).toEqual([])
    })

    test('is whole, or it is not there: a package that finds no room takes the new environment with it', async () => {
      using disk = new SmallDisk('size=64m')
      const path = join(disk.path, 'venv')
      const environment = new VenvPythonEnvironment({
        venvPath: path,
        installer,
        installEnv: wheels.installEnv,
        packages: ['huge'],
      })
      await expect(environment.start()).rejects.toMatchObject({
        code: 'INSTALL_FAILED',
        data: { output: expect.stringMatching(/no space left on device/i) },
      })
      expect(existsSync(path)).toBe(false)
      const smaller = new VenvPythonEnvironment({ venvPath: path, installEnv: wheels.installEnv })
      await using executor = await smaller.createExecutor()
      expect((await run(executor, 'python', 'print(1)')).output).toBe('1\n')
    })

    test('that is full tells a program that installs into it', async () => {
      using disk = new SmallDisk('size=64m')
      const path = join(disk.path, 'venv')
      await using environment = new VenvPythonEnvironment({ venvPath: path, installer })
      await using executor = await environment.createExecutor()
      const program = installer === 'uv' ? 'uv pip' : 'pip'
      const flags = installer === 'uv' ? `--no-cache --python ${path}/bin/python` : ''
      const install = `${program} install --no-index --find-links ${wheels.path} ${flags} huge`
      const result = await run(executor, 'bash', install)
      expect(result.output).toMatch(/no space left on device/i)
      expect(result.exitCode).not.toBe(0)
    })

    test('in a place that is read-only says so', async () => {
      using disk = new SmallDisk('ro')
      const path = join(disk.path, 'venv')
      const environment = new VenvPythonEnvironment({ venvPath: path, installer })
      await expect(environment.start()).rejects.toMatchObject({
        code: 'VENV_FAILED',
        data: { path, reason: 'EROFS' },
      })
    })
  })
})
