import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

it.skipIf(process.platform !== 'linux')(
  'a notice names files that cannot be listed, when they change',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const notices = async (code: string) => {
      const { blocks } = await executor.execute([{ language: 'sh', code }])
      return blocks[0]?.notices.map(({ code, message }) => `${code}: ${message}`)
    }
    const deep = Array.from({ length: 102 }, () => 'd').join('/')
    expect(await notices(`echo 1 > "$(printf 'bad\\377')"; mkdir -p ${deep}; echo 1 > ${deep}/file`)).toEqual(
      [
        expect.stringMatching(
          /^files-not-listed: .*"bad\uFFFD", "d\/d\/.*…"\. Each has a name that is not UTF-8/,
        ),
      ],
    )
    expect(await notices('echo 1')).toEqual([])
    expect(await notices(`echo 22 > "$(printf 'bad\\377')"`)).toEqual([
      expect.stringContaining('"bad\uFFFD".'),
    ])
  },
)
