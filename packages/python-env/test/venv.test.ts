// @module-tag all

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VenvPythonEnvironment, type VenvPythonEnvironmentOptions } from '@fenced/python-env'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folder, makeWheels, otherPython, otherVersion, python, run, uv, type Wheels } from './support.ts'

const pipRows = rowTags({
  nightly: [
    'is used again',
    'takes requirements',
    'is completed again',
    'adds packages later',
    'has the version',
  ],
})
const uvRows = rowTags({ nightly: [{ except: ['is made, has', 'is temporary', 'of another version'] }] })

describe.skipIf(python.missing)('with pip', pipRows, () => describeVenv('pip'))
describe.skipIf(python.missing || uv.missing)('with uv', uvRows, () => describeVenv('uv'))

function describeVenv(installer: 'pip' | 'uv') {
  let wheels: Wheels
  let made: VenvPythonEnvironment
  beforeAll(async () => {
    wheels = await makeWheels()
    made = venv({ venvPath: join(wheels.path, 'venv'), packages: ['tiny'] })
    await made.start()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  /** The path of a copy of an environment that was made: pip takes seconds for one. */
  async function copyOfMade(): Promise<string> {
    const path = join(await folder(), 'venv')
    spawnSync('cp', ['-R', '-p', '-P', made.path, path])
    return path
  }

  function venv(options: VenvPythonEnvironmentOptions = {}): VenvPythonEnvironment {
    return new VenvPythonEnvironment({ installer, installEnv: wheels.installEnv, ...options })
  }

  /** What is the same with both is tried with the one that is faster. */
  const isSlower = installer === 'pip' && !uv.missing
  const once = (name: string, check: () => Promise<void>) =>
    isSlower ? test.skip(`${name} (skipped: it is the same with uv)`) : test(name, check)

  test('is made, has its packages, and its own python and pip in shell blocks', async () => {
    const path = join(wheels.path, 'venv')
    expect(made.path).toBe(path)
    expect(await made.interpreter()).toMatchObject({ isVirtualEnvironment: true, prefix: path })
    await using executor = await made.createExecutor()
    const result = await executor.execute([
      { language: 'python', code: 'import sys, tiny\nprint(tiny.value, sys.prefix)' },
      { language: 'sh', code: 'python -c "import sys; print(sys.prefix)"\npip --version' },
    ])
    expect(result.output).toMatch(new RegExp(`^42 ${path}\n${path}\npip .* from ${path}`))
  })

  once('is temporary without a path, and goes with stop()', async () => {
    const environment = venv()
    await environment.start()
    expect(existsSync(environment.path)).toBe(true)
    await environment.stop()
    await environment.stop()
    expect(existsSync(environment.path)).toBe(false)
    expect(existsSync(`${environment.path}.lock`)).toBe(false)
  })

  test('is used again, and nothing is installed twice', async () => {
    const path = await copyOfMade()
    await venv({ venvPath: path, packages: ['tiny', 'tiny_too'] }).start()
    const before = await stat(join(path, 'pyvenv.cfg'))
    const notices: string[] = []
    const again = venv({ venvPath: path, packages: ['tiny_too', 'tiny'] })
    await again.start({ onNotice: ({ message }) => notices.push(message) })
    expect(notices).toEqual([])
    expect((await stat(join(path, 'pyvenv.cfg'))).mtimeMs).toBe(before.mtimeMs)
    await again.stop()
    expect(existsSync(path)).toBe(true)
  })

  once('gets what it lacks', async () => {
    const path = await copyOfMade()
    const environment = venv({ venvPath: path, packages: ['tiny', 'tiny_too'] })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'import tiny, tiny_too', 'print(1)')).output).toBe('1\n')
  })

  test('takes requirements as lines and as a file', async () => {
    const directory = await folder()
    await writeFile(join(directory, 'more.txt'), 'tiny_too\n')
    await writeFile(join(directory, 'requirements.txt'), '# two of them\ntiny==1.0\n-r more.txt\n')
    for (const requirements of [['tiny # one', '', 'tiny_too'], join(directory, 'requirements.txt')]) {
      await using environment = venv({ venvPath: await copyOfMade(), requirements })
      await using executor = await environment.createExecutor()
      expect((await run(executor, 'python', 'import tiny, tiny_too', 'print(1)')).output).toBe('1\n')
    }
  })

  once('is completed again when a file that its requirements include has changed', async () => {
    const [directory, path] = [await folder(), await copyOfMade()]
    const [requirements, included] = [join(directory, 'requirements.txt'), join(directory, 'more.txt')]
    await writeFile(requirements, '-r more.txt\n')
    await writeFile(included, 'tiny\n')
    await venv({ venvPath: path, requirements }).start()
    await writeFile(included, 'tiny\ntiny_too\n')
    await using executor = await venv({ venvPath: path, requirements }).createExecutor()
    expect((await run(executor, 'python', 'import tiny, tiny_too', 'print(1)')).output).toBe('1\n')
  })

  test('names a requirement that is none', async () => {
    const start = venv({ venvPath: await copyOfMade(), requirements: ['???'] }).start()
    await expect(start).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      // uv names the line, and does not repeat it.
      data: { output: expect.stringContaining(installer === 'uv' ? 'requirements.txt' : '???') },
    })
  })

  once('install() adds packages later', async () => {
    await using environment = venv()
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'import tiny')).output).toContain('ModuleNotFoundError')
    await environment.install(['tiny==1.0'])
    expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
  })

  once('may have spaces, quotes and other letters in its path', async () => {
    const path = join(await folder(), `my "env" d'été`)
    const environment = venv({ venvPath: path, packages: ['tiny'] })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
  })

  test.skipIf(otherVersion.missing)('has the version that is asked for', async () => {
    const version = otherPython?.version ?? ''
    await using byVersion = venv({ pythonVersion: version })
    expect((await byVersion.interpreter()).version).toMatch(new RegExp(`^${version}\\.`))
  })

  const onceOfOther = isSlower || !otherVersion.missing ? once : test.skip
  onceOfOther('uses the Python at a path', async () => {
    await using byPath = venv({ pythonPath: otherPython?.path })
    expect((await byPath.interpreter()).version).toMatch(new RegExp(`^${otherPython?.version}\\.`))
  })

  onceOfOther('of another version than asked for is not used', async () => {
    const path = await copyOfMade()
    await expect(venv({ venvPath: path, pythonVersion: otherPython?.version }).start()).rejects.toMatchObject(
      {
        code: 'VENV_MISMATCH',
      },
    )
  })

  once('comes up for the others when the one who began leaves', async () => {
    const controller = new AbortController()
    await using environment = venv()
    const first = environment.start({ signal: controller.signal })
    const second = environment.start()
    controller.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    await second
    expect((await environment.interpreter()).isVirtualEnvironment).toBe(true)
  })

  once('is made once for all who want it at the same time', async () => {
    const path = join(await folder(), 'venv')
    const environments = Array.from({ length: 4 }, () => venv({ venvPath: path, packages: ['tiny'] }))
    await Promise.all(environments.map((environment) => environment.start()))
    await using executor = await (environments[3] ?? venv()).createExecutor()
    expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
    expect((await readdir(join(path, '..'))).sort()).toEqual(['venv'])
  })
}
