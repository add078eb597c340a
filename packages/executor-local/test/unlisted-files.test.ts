import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

it.skipIf(process.platform !== 'linux')(
  'a notice names files that cannot be listed, when they change',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const notices = async (code: string) => {
      const { blocks } = await executor.execute([{ language: 'sh', code }])
      return blocks[0]?.notices.map(({ code, data }) => ({ code, data }))
    }
    const deep = Array.from({ length: 102 }, () => 'd').join('/')
    expect(await notices(`echo 1 > "$(printf 'bad\\377')"; mkdir -p ${deep}; echo 1 > ${deep}/file`)).toEqual(
      [
        {
          code: 'files-not-listed',
          data: { path: expect.stringMatching(/^bad\uFFFD, d\/d\/.*…$/), count: '2' },
        },
      ],
    )
    expect(await notices('echo 1')).toEqual([])
    expect(await notices(`echo 22 > "$(printf 'bad\\377')"`)).toEqual([
      { code: 'files-not-listed', data: { path: 'bad\uFFFD', count: '1' } },
    ])
  },
)
