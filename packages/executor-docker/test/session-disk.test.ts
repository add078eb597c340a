// @module-tag nightly

import { describe, expect, it } from 'vitest'
import { type BlockResult, DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('undo in a container on a disk that becomes full', () => {
  it('restores variables and files after a block that fills the disk', async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      ...{ image: 'fenced-test/python', diskBytes: 16 * 2 ** 20, stateful: true },
    })
    const cell = async (code: string): Promise<BlockResult> => {
      const { blocks } = await executor.execute([{ language: 'python', code }])
      return blocks[0] as BlockResult
    }
    await cell('import os\nx = 1\nwith open("data", "wb") as file: file.write(b"a" * 2**20)')
    const filled = await cell(`
x = 2
with open("data", "wb") as file: file.write(b"b" * 2**20)
with open("filler", "wb", buffering=0) as file:
    while file.write(bytes(65536)): pass`)
    expect(filled.error?.message).toContain('No space left on device')
    expect(filled.notices.map(({ code }) => code)).toEqual(['disk-limit'])
    const { notices } = (await executor.session?.undo()) ?? { notices: [] }
    expect(notices).toMatchObject([{ code: 'state-restored', data: { block: '1' } }])
    expect((await cell('print(x, set(open("data", "rb").read()), os.listdir())')).stdout).toBe(
      "1 {97} ['data']\n",
    )
  })
})
