import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

const onLinux = it.skipIf(process.platform !== 'linux')

async function runs(executor: LocalCommandLineCodeExecutor, code: string) {
  const { blocks } = await executor.execute([{ language: 'sh', code }])
  const [block] = blocks
  return {
    files: block?.files.map(({ path, change }) => `${change} ${path}`) ?? [],
    notices: block?.notices.map(({ code, data }) => ({ code, data })),
  }
}

const notListed = (path: unknown, count: string) => ({ code: 'files-not-listed', data: { path, count } })

onLinux('a notice names files that cannot be listed, when they change', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const notices = async (code: string) => (await runs(executor, code)).notices
  const deep = Array.from({ length: 102 }, () => 'd').join('/')
  expect(await notices(`echo 1 > "$(printf 'bad\\377')"; mkdir -p ${deep}; echo 1 > ${deep}/file`)).toEqual([
    notListed(expect.stringMatching(/^bad\uFFFD, d\/d\/.*…$/), '2'),
  ])
  expect(await notices('echo 1')).toEqual([])
  expect(await notices(`echo 22 > "$(printf 'bad\\377')"`)).toEqual([notListed('bad\uFFFD', '1')])
})

onLinux('a notice names links and pipes that a program makes', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const first = await runs(executor, 'echo 1 > a; ln -s a latest; ln a hard; mkfifo pipe')
  expect(first.files.toSorted()).toEqual(['created a', 'created hard'])
  expect(first.notices).toMatchObject([{ code: 'files-not-listed', data: { count: '2' } }])
  expect((await runs(executor, 'cat latest')).notices).toEqual([])
  expect((await runs(executor, 'ln -sfn hard latest')).notices).toEqual([notListed('latest', '1')])
})

onLinux('a list of too many files is cut, and is right in what it has', { tags: 'all' }, async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  await runs(executor, 'mkdir old; for name in same changed gone; do echo 1 > old/$name; done')
  const { files, notices } = await runs(
    executor,
    `rm old/gone; echo 2 > old/changed; mkdir new; cd new; seq 10000 | xargs -n 1000 touch`,
  )
  expect(files.length).toBeGreaterThan(9_000)
  expect(files.filter((file) => !file.startsWith('created new/'))).toEqual(['changed old/changed'])
  expect(notices?.map(({ code }) => code)).toEqual(['files-not-listed'])
  expect(await runs(executor, 'rm -r new; echo 3 > old/changed')).toMatchObject({
    files: [],
    notices: [{ code: 'files-not-listed' }],
  })
  expect((await runs(executor, 'echo 4 > old/changed')).files).toEqual(['changed old/changed'])
})
