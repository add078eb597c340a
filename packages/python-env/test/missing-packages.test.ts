// @module-tag all

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SystemPythonEnvironment, VenvPythonEnvironment, WorkingDirectory } from '@fenced/python-env'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bubblewrap, collect, makeWheels, managed, python, run, uv, type Wheels } from './support.ts'

describe.skipIf(python.missing)('an executor whose program lacks a package', () => {
  let wheels: Wheels
  beforeAll(async () => {
    wheels = await makeWheels()
  })
  afterAll(() => rm(wheels.path, { recursive: true }))

  const venv = (options: { path?: string } = {}) =>
    new VenvPythonEnvironment({
      installer: uv.missing ? 'pip' : 'uv',
      installEnv: wheels.installEnv,
      ...options,
    })

  const mayInstall = (...installablePackages: string[]) => ({
    missingPackages: 'install' as const,
    installablePackages,
  })

  test('names a command that brings it', async () => {
    await using environment = venv()
    await using executor = await environment.createExecutor()
    const { blocks } = await run(executor, 'python', 'import tiny')
    const [notice] = blocks[0]?.notices ?? []
    expect(notice).toMatchObject({
      code: 'missing-package',
      data: { module: 'tiny', distribution: 'tiny', command: expect.stringContaining(environment.path) },
    })
    const typed = spawnSync('sh', ['-c', notice?.data?.command ?? 'false'], {
      env: { ...process.env, ...wheels.installEnv },
      encoding: 'utf8',
    })
    expect(typed).toMatchObject({ status: 0 })
    expect((await run(executor, 'python', 'import tiny; print(tiny.value)')).output).toBe('42\n')
  })

  test('gets it from the environment, and the program is run once more', async () => {
    await using environment = venv()
    await using workDir = WorkingDirectory.createTmp()
    await using executor = await environment.createExecutor({
      workDir,
      ...mayInstall('tiny', 'tiny-too==1.0'),
    })
    const execution = executor.execute([
      {
        language: 'python',
        code: "print('begun')\nimport tiny\nimport tiny_too\nprint(tiny.value)",
      },
    ])
    const events = await collect(execution)
    const result = await execution
    expect(result).toMatchObject({ status: 'ok', output: 'begun\n42\n' })
    expect(result.blocks[0]?.notices.map(({ data }) => data?.distribution)).toEqual(['tiny', 'tiny_too'])
    const told = events.flatMap((event) => (event.type === 'notice' ? [event.notice] : []))
    expect(told).toContainEqual({
      code: 'install',
      message: expect.any(String),
      data: { command: expect.stringMatching(/install.* tiny-too==1\.0$/) },
    })
    expect(result.blocks.flatMap(({ notices }) => notices.map(({ code }) => code))).not.toContain('install')
  })

  test('gets it, but is not run again where it had changed files', async () => {
    await using environment = venv()
    await using workDir = WorkingDirectory.createTmp()
    await using executor = await environment.createExecutor({ workDir, ...mayInstall('tiny') })
    const code = "open('runs.txt', 'a').write('x')\nimport tiny\nprint(tiny.value)"
    const first = await run(executor, 'python', code)
    expect(first).toMatchObject({ status: 'error', blocks: [{ notices: [{ code: 'package-installed' }] }] })
    expect(await readFile(join(workDir.path, 'runs.txt'), 'utf8')).toBe('x')
    expect((await run(executor, 'python', code)).output).toBe('42\n')
  })

  test('does not get what is not among the installable packages', async () => {
    await using environment = venv()
    await using executor = await environment.createExecutor(mayInstall('tiny_too'))
    const result = await run(executor, 'python', 'import tiny')
    expect(result).toMatchObject({
      status: 'error',
      exitCode: 1,
      blocks: [{ notices: [{ code: 'missing-package' }] }],
    })
  })

  test('is told why it cannot be had', async () => {
    await using environment = venv()
    await using executor = await environment.createExecutor(mayInstall('unbuildable', 'nowhere'))
    for (const [module, data] of [
      ['unbuildable', { packages: 'unbuildable', output: expect.stringContaining('no compiler for this') }],
      ['nowhere', { packages: 'nowhere' }],
    ] as const) {
      const result = await run(executor, 'python', `import ${module}`)
      expect(result).toMatchObject({
        status: 'error',
        exitCode: 1,
        blocks: [
          {
            notices: [{ code: 'missing-package' }, { code: 'install-failed', data }],
          },
        ],
      })
      expect(result.output).toContain(`No module named '${module}'`)
    }
  })

  test.for(['none', 'bubblewrap'] as const)(
    'installs at the request of its caller what is in its list, with isolation %s',
    async (isolation, { skip }) => {
      skip(isolation === 'bubblewrap' && bubblewrap.missing)
      await using environment = venv()
      await using executor = await environment.createExecutor({ isolation, installablePackages: ['tiny'] })
      expect((await run(executor, 'python', 'import tiny')).status).toBe('error')
      await executor.installPackages?.(['tiny'])
      expect((await run(executor, 'python', 'import tiny; print(tiny.value)')).output).toBe('42\n')
      await expect(executor.installPackages?.(['tiny_too'])).rejects.toMatchObject({
        code: 'PACKAGE_NOT_ALLOWED',
      })
      expect((await run(executor, 'python', 'import tiny_too')).status).toBe('error')
    },
  )

  test('does not disturb another one that wants the same at the same time', async () => {
    await using environment = venv()
    await environment.start()
    const results = await Promise.all(
      [1, 2, 3].map(async () => {
        await using executor = await environment.createExecutor(mayInstall('tiny', 'tiny_too'))
        return await run(executor, 'python', 'import tiny, tiny_too', 'print(tiny.value)')
      }),
    )
    expect(results.map(({ output }) => output)).toEqual(['42\n', '42\n', '42\n'])
    expect(existsSync(`${environment.path}.lock`)).toBe(false)
  })

  test.skipIf(managed.missing)('of the operating system is sent to a virtual environment', async () => {
    const environment = new SystemPythonEnvironment({ executable: '/usr/bin/python3' })
    await using reporting = await environment.createExecutor()
    const reported = await run(reporting, 'python', 'import tiny')
    expect(reported.blocks[0]?.notices[0]?.data).toEqual({ module: 'tiny', distribution: 'tiny' })
    await using installing = await environment.createExecutor(mayInstall('tiny'))
    const refused = await run(installing, 'python', 'import tiny')
    expect(refused.blocks[0]?.notices).toMatchObject([
      { code: 'missing-package' },
      {
        code: 'install-failed',
        data: { python: (await environment.interpreter()).path, packages: 'tiny' },
      },
    ])
  })

  test('gets it into a system’s Python that is one’s own', { tags: 'nightly' }, async () => {
    await using owner = venv()
    const { path } = await owner.interpreter()
    const environment = new SystemPythonEnvironment({ executable: path, installEnv: wheels.installEnv })
    await using executor = await environment.createExecutor(mayInstall('tiny'))
    expect((await run(executor, 'python', 'import tiny; print(tiny.value)')).output).toBe('42\n')
  })
})
