import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { protectPythons } from '../src/isolation/protected-pythons.ts'

/** A working directory with a Python on the PATH. */
function workDirOf(bin: string, isVenv: boolean): string {
  const workDir = realpathSync(mkdtempSync(join(tmpdir(), 'fenced-pythons-')))
  onTestFinished(() => rmSync(workDir, { recursive: true }))
  mkdirSync(join(workDir, bin), { recursive: true })
  writeFileSync(join(workDir, bin, 'python3'), '', { mode: 0o755 })
  if (isVenv) writeFileSync(join(workDir, bin, '../pyvenv.cfg'), '')
  return workDir
}

describe.runIf(process.platform === 'linux')('a Python on the PATH, in the working directory,', () => {
  it.each([
    ['of a virtual environment: all of that', 'venv/bin', true, ['venv']],
    ['beside other programs: their directory', 'tools/bin', false, ['tools/bin']],
    ['directly in it: that file', '', false, ['python3']],
    [
      'that is a virtual environment itself: the parts that no code writes',
      'bin',
      true,
      ['bin', 'pyvenv.cfg'],
    ],
  ])('is read-only %s', async (_, bin, isVenv, parts) => {
    const workDir = workDirOf(bin, isVenv)
    const found = await protectPythons(workDir, {
      python: undefined,
      path: join(workDir, bin),
      host: { PATH: '/usr/bin' },
    })
    expect(found).toEqual({ readOnly: parts.map((part) => join(workDir, part)), startedOutside: [] })
  })

  it('that was named is protected as one that this process starts', async () => {
    const workDir = workDirOf('venv/bin', true)
    const places = { python: join(workDir, 'venv/bin/python3'), path: '', host: { PATH: '/usr/bin' } }
    expect(await protectPythons(workDir, places)).toEqual({
      readOnly: [join(workDir, 'venv')],
      startedOutside: [join(workDir, 'venv')],
    })
  })
})
