import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

const realPython = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).trim()
const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

/** What a program that the code planted makes when it runs outside: in bubblewrap it cannot be made. */
let escaped = ''
let workDir = ''
let elsewhere = ''
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-attack-'))
  folders.push(folder)
  escaped = join(folder, 'escaped')
  workDir = join(folder, 'project')
  elsewhere = join(folder, 'bin')
  await mkdir(workDir)
  await mkdir(elsewhere)
  vi.stubEnv('VIRTUAL_ENV', '')
  return () => vi.unstubAllEnvs()
})

function putFirst(directory: string): void {
  vi.stubEnv('PATH', `${directory}${delimiter}${process.env.PATH}`)
}

/** A shell block that writes a program at a path of the working directory. */
function planting(path: string): string {
  const program = `#!/bin/sh\necho "$(id -u)" >> ${escaped}\nexec ${realPython} "$@"`
  return `mkdir -p "$(dirname ${path})"; rm -f ${path}; printf '%s' '${program}' > ${path} && chmod +x ${path}`
}

/** Runs a shell block and then a Python block, each in an executor of its own, and returns how each ended. */
async function runTwice(attack: string, options: LocalExecutorOptions = {}): Promise<string[]> {
  const ends: string[] = []
  for (const code of [attack, 'exit 0']) {
    try {
      await using executor = new LocalCommandLineCodeExecutor({
        isolation: 'bubblewrap',
        workDir,
        ...options,
      })
      const { status } = await executor.execute([
        { language: 'sh', code },
        { language: 'python', code: 'print(1)' },
      ])
      ends.push(status)
    } catch (error) {
      ends.push(FencedError.isInstance(error) ? error.code : String(error))
    }
  }
  return ends
}

const isMissing = bubblewrap.missing || python.missing
describe.skipIf(isMissing)('code in bubblewrap that writes a program for the next start', () => {
  it.each(['python3', 'bwrap'])(
    'does not leave it as %s of a node_modules/.bin on the PATH',
    async (name) => {
      putFirst(join(workDir, 'node_modules', '.bin'))
      const ends = await runTwice(planting(`node_modules/.bin/${name}`))
      expect(existsSync(escaped)).toBe(false)
      expect(ends).toEqual(['ok', 'ok'])
      expect(existsSync(join(workDir, 'node_modules', '.bin', name))).toBe(true)
    },
  )

  it('does not leave it as a program of any other directory on the PATH that it can make', async () => {
    putFirst(join(workDir, 'tools', 'bin'))
    const ends = await runTwice(planting('tools/bin/python3'))
    expect(existsSync(escaped)).toBe(false)
    expect(ends).toEqual(['ok', 'ok'])
  })

  it('does not leave it as the Python of a virtual environment that does not exist yet', async () => {
    vi.stubEnv('VIRTUAL_ENV', join(workDir, '.venv'))
    const ends = await runTwice(`${planting('.venv/bin/python')}; : > .venv/pyvenv.cfg`)
    expect(existsSync(escaped)).toBe(false)
    expect(ends).toEqual(['PROGRAM_WRITABLE', 'PROGRAM_WRITABLE'])
  })

  it.each(['python', 'VIRTUAL_ENV'])(
    'does not leave it as the target of a link in the virtual environment of %s',
    async (way) => {
      const venv = join(workDir, '.venv')
      await mkdir(join(venv, 'bin'), { recursive: true })
      await writeFile(join(venv, 'pyvenv.cfg'), '')
      await symlink('../../py/bin/python3', join(venv, 'bin', 'python'))
      await mkdir(join(workDir, 'py', 'bin'), { recursive: true })
      await writeFile(join(workDir, 'py', 'bin', 'python3'), `#!/bin/sh\nexec ${realPython} "$@"`)
      await chmod(join(workDir, 'py', 'bin', 'python3'), 0o755)
      if (way === 'VIRTUAL_ENV') vi.stubEnv('VIRTUAL_ENV', venv)
      const ends = await runTwice(planting('py/bin/python3'), way === 'python' ? { python: venv } : {})
      expect(existsSync(escaped)).toBe(false)
      expect(ends).toEqual(['PROGRAM_WRITABLE', 'PROGRAM_WRITABLE'])
    },
  )

  it.each(['python3', 'bwrap'])(
    'does not leave it behind a link %s of another directory on the PATH',
    async (name) => {
      await symlink(join(workDir, 'tool'), join(elsewhere, name))
      putFirst(elsewhere)
      const ends = await runTwice(planting('tool'))
      expect(existsSync(escaped)).toBe(false)
      expect(ends[1]).toBe('PROGRAM_WRITABLE')
    },
  )

  it.each(['bin', '../bin'])(
    'shows code no directory by a link in place of the PATH entry %s',
    async (entry) => {
      const hidden = join(workDir, '..', 'hidden')
      await mkdir(hidden)
      await writeFile(join(hidden, 'key'), 'of the host')
      await symlink('/bin/sh', join(hidden, 'bash'))
      if (entry !== 'bin') await rm(elsewhere, { recursive: true })
      if (entry !== 'bin') await symlink(join(workDir, 'bin'), elsewhere)
      putFirst(join(workDir, entry))
      await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', workDir })
      await executor.execute([{ language: 'sh', code: `ln -s ${hidden} bin` }])
      const read = `cat ${join(workDir, entry)}/key bin/key ${hidden}/key; true`
      const { output } = await executor.execute([
        { language: 'sh', code: read },
        { language: 'bash', code: read },
      ])
      expect(output).not.toContain('of the host')
    },
  )

  it('does not leave it as a module of a package in the working directory that its virtual environment has', async () => {
    const venv = join(workDir, '.venv')
    execFileSync('python3', ['-m', 'venv', '--without-pip', venv])
    const [lib = ''] = await readdir(join(venv, 'lib'))
    // As `pip install -e .` does.
    await writeFile(join(venv, 'lib', lib, 'site-packages', 'own.pth'), join(workDir, 'src'))
    const attack = `mkdir src; echo 'open("${escaped}", "w")' > src/sitecustomize.py`
    await using executor = new LocalCommandLineCodeExecutor({
      isolation: 'bubblewrap',
      workDir,
      python: venv,
    })
    await executor.execute([{ language: 'sh', code: attack }])
    const { output } = await executor.execute([{ language: 'python', code: 'import no_such_package_here' }])
    expect(output).toContain('no_such_package_here')
    expect(existsSync(escaped)).toBe(false)
  })
})
