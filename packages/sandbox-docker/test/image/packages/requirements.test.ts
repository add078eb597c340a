import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRequirements } from '../../../src/image/packages/requirements.ts'
import { temporaryFolder } from '../../engine/temporary-folder.fixture.ts'

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
