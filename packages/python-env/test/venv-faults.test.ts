// @module-tag nightly

import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { VenvPythonEnvironment, type VenvPythonEnvironmentOptions } from '@fenced/python-env'
import { temporaryEntries } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { folder, makeWheels, otherPython, otherVersion, python, run, uv, type Wheels } from './support.ts'

describe.skipIf(python.missing)('a virtual environment', () => {
  let wheels: Wheels
  beforeAll(async () => {
    wheels = await makeWheels()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  /** With the installer that is faster, where none is named. */
  function venv(options: VenvPythonEnvironmentOptions = {}): VenvPythonEnvironment {
    return new VenvPythonEnvironment({ installEnv: wheels.installEnv, ...options })
  }

  test('that was left half-made by a process that was killed is made again', {
    timeout: 240_000,
  }, async () => {
    const path = join(await folder(), 'venv')
    const host = makeVenv(['pip', path], { stdio: 'ignore' })
    await vi.waitUntil(() => existsSync(join(path, 'pyvenv.cfg')), { timeout: 120_000, interval: 5 })
    const exited = once(host, 'exit')
    host.kill('SIGKILL')
    await exited
    expect(existsSync(join(path, 'fenced-incomplete'))).toBe(true)
    expect(existsSync(`${path}.lock`)).toBe(true)
    const environment = venv({ venvPath: path, packages: ['tiny'] })
    // What it waits for is its last notice.
    const limit = new AbortController()
    const notices: string[] = []
    const timer = setTimeout(() => limit.abort(new Error(`It hangs at: ${notices.at(-1)}`)), 120_000)
    await environment.start({ signal: limit.signal, onNotice: ({ message }) => notices.push(message) })
    clearTimeout(timer)
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
    expect(existsSync(join(path, 'fenced-incomplete'))).toBe(false)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  test('that is temporary goes with the next start when its process was killed', {
    timeout: 240_000,
  }, async () => {
    const directory = await folder()
    const options: SpawnOptions = { stdio: 'ignore', env: { ...process.env, TMPDIR: directory } }
    // With pip there is time to kill it.
    const killed = makeVenv(['pip'], options)
    await vi.waitUntil(
      async () => (await readdir(directory, { recursive: true })).some((name) => name.endsWith('pyvenv.cfg')),
      { timeout: 120_000, interval: 5 },
    )
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect(temporaryEntries(directory)).not.toEqual([])
    // The installer that it had started would go on for a while.
    expect((await once(makeVenv(['auto'], options), 'exit'))[0]).toBe(0)
    expect(temporaryEntries(directory)).toEqual([])
  })

  test('that two processes make at once is whole', async () => {
    const path = join(await folder(), 'venv')
    const hosts = [1, 2, 3].map(() => makeVenv(['auto', path], { stdio: 'inherit' }))
    const codes = await Promise.all(hosts.map(async (host) => (await once(host, 'exit'))[0]))
    expect(codes).toEqual([0, 0, 0])
    expect((await readdir(join(path, '..'))).sort()).toEqual(['venv'])
  })

  test('that somebody made by hand is used, and not taken away', async () => {
    const path = join(await folder(), 'venv')
    // Only pip needs the pip in it, which takes seconds to come.
    spawnSync('python3', ['-m', 'venv', ...(uv.missing ? [] : ['--without-pip']), path])
    await using executor = await venv({ venvPath: path, packages: ['tiny'] }).createExecutor()
    expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
  })

  test('is not made where something else is, and that stays', async () => {
    const path = join(await folder(), 'data')
    await mkdir(path)
    await writeFile(join(path, 'precious.txt'), 'x')
    await expect(venv({ venvPath: path }).start()).rejects.toMatchObject({ code: 'NOT_A_VENV' })
    expect(await readFile(join(path, 'precious.txt'), 'utf8')).toBe('x')
  })

  test('whose Python is gone says so', async () => {
    const path = join(await folder(), 'venv')
    await venv({ venvPath: path }).start()
    await rm(join(path, 'bin'), { recursive: true })
    await expect(venv({ venvPath: path }).start()).rejects.toMatchObject({ code: 'VENV_FAILED' })
  })

  describe.skipIf(otherVersion.missing)('whose Python was upgraded', () => {
    /** As an upgrade of the system leaves it: the same path is another version. */
    async function upgrade(path: string): Promise<void> {
      const question = 'import os, sys; print(os.path.realpath(sys.executable))'
      const { stdout } = spawnSync(otherPython?.path ?? '', ['-c', question], { encoding: 'utf8' })
      for (const name of ['python', 'python3']) {
        await rm(join(path, 'bin', name), { force: true })
        await symlink(stdout.trim(), join(path, 'bin', name))
      }
    }

    test('is made again with its packages, and says so', async () => {
      const path = join(await folder(), 'venv')
      await venv({ venvPath: path, packages: ['tiny'] }).start()
      await upgrade(path)
      const environment = venv({ venvPath: path, packages: ['tiny'] })
      const notices: Notice[] = []
      await environment.start({ onNotice: (notice) => notices.push(notice) })
      const [before, version] = [/^3\.\d+$/, /^3\.\d+\.\d+$/].map((pattern) => expect.stringMatching(pattern))
      expect(notices[0]).toMatchObject({ code: 'install', data: { path, before, version } })
      await using executor = await environment.createExecutor()
      expect((await run(executor, 'python', 'import tiny', 'print(tiny.value)')).output).toBe('42\n')
    })

    test('is not removed where somebody made it by hand', async () => {
      const path = join(await folder(), 'venv')
      spawnSync('python3', ['-m', 'venv', path])
      await venv({ venvPath: path, packages: ['tiny'] }).start()
      await writeFile(join(path, 'precious.txt'), 'x')
      await upgrade(path)
      await venv({ venvPath: path, packages: ['tiny'] })
        .start()
        .catch(() => {})
      expect(await readFile(join(path, 'precious.txt'), 'utf8')).toBe('x')
    })
  })

  test.each<[what: string, options: VenvPythonEnvironmentOptions, code: string, data: object]>([
    [
      'a version that is not there',
      { pythonVersion: '3.99' },
      'PYTHON_NOT_FOUND',
      { needed: '3.99', option: 'pythonPath' },
    ],
    [
      'an interpreter that is not there',
      { pythonPath: '/no/python' },
      'PYTHON_NOT_FOUND',
      { program: '/no/python' },
    ],
    [
      'a package that does not exist',
      { packages: ['no-such-package'] },
      'INSTALL_FAILED',
      { packages: 'no-such-package' },
    ],
    [
      'a package that cannot be built',
      { packages: ['unbuildable'] },
      'INSTALL_FAILED',
      { packages: 'unbuildable', output: expect.stringContaining('no compiler for this') },
    ],
    ['a version that does not exist', { packages: ['tiny==9'] }, 'INSTALL_FAILED', { packages: 'tiny==9' }],
    [
      'a requirement that is none',
      { requirements: ['???'] },
      'INSTALL_FAILED',
      // uv names the line, and does not repeat it.
      { output: expect.stringContaining(uv.missing ? '???' : 'requirements.txt') },
    ],
    [
      'a file that is not there',
      { requirements: '/no/requirements.txt' },
      'REQUIREMENTS_NOT_FOUND',
      { path: '/no/requirements.txt', option: 'requirements' },
    ],
  ])('%s is a clear error, and nothing half-made is left', async (_, options, code, data) => {
    const directory = await folder()
    const path = join(directory, 'venv')
    await expect(venv({ venvPath: path, ...options }).start()).rejects.toMatchObject({
      code,
      data,
    })
    expect(await readdir(directory)).toEqual([])
  })

  test('a package that fails leaves an environment that was there as it was', async () => {
    const path = join(await folder(), 'venv')
    await venv({ venvPath: path, packages: ['tiny'] }).start()
    await expect(venv({ venvPath: path, packages: ['no-such-package'] }).start()).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    })
    const notices: string[] = []
    const environment = venv({ venvPath: path, packages: ['tiny'] })
    await environment.start({ onNotice: ({ message }) => notices.push(message) })
    expect(notices).toEqual([])
  })

  test('cannot be made below a file', async () => {
    const directory = await folder()
    await writeFile(join(directory, 'file'), '')
    await expect(venv({ venvPath: join(directory, 'file', 'venv') }).start()).rejects.toMatchObject({
      code: 'VENV_FAILED',
      data: { reason: expect.stringMatching(/^(ENOTDIR|EEXIST)$/) },
    })
  })

  test('is not made any more when it is cancelled, and nothing of it is left', async () => {
    const directory = await folder()
    const path = join(directory, 'venv')
    const controller = new AbortController()
    // uv would be done before.
    const start = venv({ venvPath: path, installer: 'pip' }).start({ signal: controller.signal })
    await vi.waitUntil(() => existsSync(join(path, 'pyvenv.cfg')), { timeout: 120_000, interval: 5 })
    controller.abort()
    await expect(start).rejects.toMatchObject({ name: 'AbortError' })
    expect(await readdir(directory)).toEqual([])
  })

  test('a key of this process does not get into the code of a package', async () => {
    process.env.KEY = 'hunter2'
    const error = await venv({ packages: ['unbuildable'] })
      .start()
      .catch((reason) => reason)
    delete process.env.KEY
    expect(error).toMatchObject({
      data: { output: expect.stringContaining('no compiler for this, key None') },
    })
  })

  test('wrong options are refused at the door', () => {
    const refused = (option: string) => expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } })
    expect(() => venv({ packages: ['--index-url=http://evil'] })).toThrow(refused('packages.0'))
    expect(() => venv({ pythonVersion: 'latest' })).toThrow(refused('pythonVersion'))
  })

  test('uv that is not there is said', async () => {
    vi.stubEnv('PATH', '/no/such/directory')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(venv({ installer: 'uv' }).start()).rejects.toMatchObject({ code: 'UV_NOT_FOUND' })
  })
})

/** Another process that makes one. */
function makeVenv(args: readonly string[], options: SpawnOptions) {
  const program = join(import.meta.dirname, 'programs', 'make-venv.ts')
  return spawn(process.execPath, ['--conditions=@fenced/source', program, ...args], options)
}
