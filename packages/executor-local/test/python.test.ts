import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { python } from './requirements.ts'

const whichPython = [{ language: 'python', code: 'import sys; print(sys.executable)' }]
const nothing = join(tmpdir(), 'fenced-no-such-directory')

describe.skipIf(python.missing)('which Python runs', () => {
  let folder = ''
  let venv = ''
  beforeAll(async () => {
    // The names that a path must survive.
    folder = await mkdtemp(join(tmpdir(), 'fenced it’s "é" '))
    venv = join(folder, 'environment')
    await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', venv])
  })
  afterAll(() => rm(folder, { recursive: true }))
  afterEach(() => vi.unstubAllEnvs())

  it('is a virtual environment that the option names', async () => {
    expect(await output({ python: venv })).toBe(`${join(venv, 'bin', 'python')}\n`)
  })

  it('is an interpreter that the option names', async () => {
    const interpreter = join(venv, 'bin', 'python3')
    expect(await output({ python: interpreter })).toBe(`${interpreter}\n`)
  })

  it('is the same for `python` in a shell block', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ python: venv })
    const result = await executor.execute([{ language: 'sh', code: 'command -v python' }])
    expect(result.output).toBe(`${join(venv, 'bin', 'python')}\n`)
  })

  it('is the active virtual environment before the one on the PATH', async () => {
    vi.stubEnv('VIRTUAL_ENV', venv)
    expect(await output({})).toBe(`${join(venv, 'bin', 'python')}\n`)
  })

  it('is the one behind a version manager’s stand-in, which is asked once and not for every block', async () => {
    const calls = join(folder, 'calls')
    await writeScript(
      folder,
      'python3',
      `#!/bin/sh\necho call >> '${calls.replaceAll("'", "'\\''")}'\nexec "${join(venv, 'bin', 'python').replaceAll('"', '\\"')}" "$@"\n`,
    )
    vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`)
    await using executor = new LocalCommandLineCodeExecutor()
    for (let block = 0; block < 3; block++) await executor.execute(whichPython)
    expect(await readFile(calls, 'utf8')).toBe('call\n')
  })

  it('is `python` where `python3` does not work', async () => {
    const other = join(folder, 'other')
    await writeScript(other, 'python3', '#!/bin/sh\nexit 1\n')
    await writeScript(
      other,
      'python',
      `#!/bin/sh\nexec "${join(venv, 'bin', 'python').replaceAll('"', '\\"')}" "$@"\n`,
    )
    vi.stubEnv('PATH', `${join(other, 'bin')}:/bin`)
    expect(await output({})).toBe(`${join(venv, 'bin', 'python')}\n`)
  })
})

describe.skipIf(python.missing)('a Python that is not there', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is a result with 127 that does not tell a model the PATH of the host', async () => {
    vi.stubEnv('PATH', nothing)
    vi.stubEnv('VIRTUAL_ENV', undefined)
    await using executor = new LocalCommandLineCodeExecutor()
    const result = await executor.execute(whichPython)
    expect(result).toMatchObject({ status: 'invalid', exitCode: 127 })
    const [notice] = result.blocks[0]?.notices ?? []
    expect(notice).toMatchObject({
      code: 'no-interpreter',
      data: { language: 'python' },
    })
    expect(JSON.stringify(notice)).not.toContain(nothing)
    expect(result.output).toBe(`${notice?.message}\n`)
  })

  it.each<[names: string, python: string]>([
    ['nothing', join(nothing, 'python')],
    ['something else', import.meta.filename],
  ])('is an error of the start when the option names %s', async (_, python) => {
    await using executor = new LocalCommandLineCodeExecutor({ python })
    const data = { language: 'python', option: 'python', program: python }
    const error = { code: 'PYTHON_NOT_FOUND', data }
    await expect(executor.start()).rejects.toMatchObject(error)
    await expect(executor.execute(whichPython)).rejects.toMatchObject(error)
  })

  it('is found as soon as it has been installed', async () => {
    const { stdout } = await promisify(execFile)('python3', ['-c', 'import sys; print(sys.executable)'])
    const folder = await mkdtemp(join(tmpdir(), 'fenced-late-'))
    vi.stubEnv('PATH', join(folder, 'bin'))
    vi.stubEnv('VIRTUAL_ENV', undefined)
    await using executor = new LocalCommandLineCodeExecutor()
    expect(await executor.execute(whichPython)).toMatchObject({ exitCode: 127 })
    await writeScript(folder, 'python3', `#!/bin/sh\nexec ${stdout.trim()} "$@"\n`)
    expect(await executor.execute(whichPython)).toMatchObject({ status: 'ok', output: stdout })
    await rm(folder, { recursive: true })
  })
})

async function output(options: LocalExecutorOptions): Promise<string> {
  await using executor = new LocalCommandLineCodeExecutor(options)
  return (await executor.execute(whichPython)).output
}

async function writeScript(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, 'bin', name)
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
}
