import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { normalizePackages, readRequirements } from '../src/requirements.ts'

/** A directory with these files. */
function temporaryFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

describe('readRequirements', () => {
  it('has nothing to give for nothing', async () => {
    expect(await readRequirements(undefined)).toEqual([])
    expect(await readRequirements([])).toEqual([])
  })

  it('takes lines as they are', async () => {
    expect(await readRequirements(['--no-index', 'six==1.16 # old'])).toEqual([
      { name: '0-requirements.txt', content: '--no-index\nsix==1.16 # old' },
    ])
  })

  it('takes along what a file includes, from its own place, each once and in circles as well', async () => {
    const folder = temporaryFolder({
      'dev.txt':
        '-r base/base.txt  # all\n--constraint=limits.txt\n-r https://example.com/more.txt\n-e git+https://x\n',
      'base/base.txt': 'six\n-c../limits.txt\n--requirement ../dev.txt\n',
      'limits.txt': 'six<2\n',
    })
    expect(await readRequirements(join(folder, 'dev.txt'))).toEqual([
      {
        name: '0-dev.txt',
        content:
          '-r 1-base.txt  # all\n--constraint=2-limits.txt\n-r https://example.com/more.txt\n-e git+https://x\n',
      },
      { name: '1-base.txt', content: 'six\n-c2-limits.txt\n--requirement 0-dev.txt\n' },
      { name: '2-limits.txt', content: 'six<2\n' },
    ])
  })

  it('names the file that is missing', async () => {
    const folder = temporaryFolder({ 'dev.txt': '-r missing.txt\n' })
    await expect(readRequirements(join(folder, 'dev.txt'))).rejects.toMatchObject({
      code: 'REQUIREMENTS_NOT_FOUND',
      data: { path: join(folder, 'missing.txt'), option: 'requirements' },
    })
  })
})

describe('normalizePackages', () => {
  it('sorts, takes each once, and spells names in one way', () => {
    expect(
      normalizePackages(['  Zope.Interface ', 'NumPy', 'numpy', 'a__b[Extra]>=1.0', 'Six == 1.0']),
    ).toEqual(['a-b[Extra]>=1.0', 'numpy', 'six == 1.0', 'zope-interface'])
  })

  it('leaves addresses and paths as they are', () => {
    const packages = ['./Some_Dir', 'git+https://Host/A_b.git', 'https://Host/A_b-1.0.whl']
    expect(normalizePackages(packages)).toEqual(packages)
    expect(normalizePackages(['My_Pkg @ git+https://Host/A_b.git'])).toEqual([
      'my-pkg @ git+https://Host/A_b.git',
    ])
  })
})
