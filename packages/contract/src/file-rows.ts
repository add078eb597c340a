import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { type ContractRow, type RowSubject, requiresPython, unlessStateful } from './contract.ts'

/** Programs as files, and the files that they make. */
export const fileRows: readonly ContractRow[] = [
  {
    name: 'files that the code creates and changes are listed',
    needs: ['writeFile'],
    async checkShared({ executor, programs: { writeFile }, block }) {
      const created = await executor.execute([block(writeFile('made.txt', 'one'))])
      assert.deepEqual(namesAndChanges(created.files), ['made.txt created'])
      assert.equal(created.files[0]?.sizeBytes, 3)
      const path = created.files[0]?.absolutePath
      if (path !== undefined) assert.equal(await readFile(path, 'utf8'), 'one')
      const changed = await executor.execute([block(writeFile('made.txt', 'two'))])
      assert.deepEqual(namesAndChanges(changed.files), ['made.txt changed'])
    },
  },
  {
    name: 'a file that a later block removes is not listed',
    needs: ['writeFile', 'removeFile'],
    async checkShared({ executor, programs: { writeFile, removeFile }, block }) {
      const result = await executor.execute([
        block(writeFile('kept.txt', 'x'), writeFile('gone.txt', 'x')),
        block(removeFile('gone.txt')),
      ])
      assert.deepEqual(namesAndChanges(result.files), ['kept.txt created'])
      assert.equal(result.blocks[0]?.files.length, 2)
    },
  },
  {
    name: 'a link that the code makes is named in a notice, and not listed',
    needs: ['writeFile', 'link'],
    async checkShared({ executor, programs: { writeFile, link }, block }) {
      const { files, blocks } = await executor.execute([
        block(writeFile('linked.txt', 'x'), link('linked.txt', 'latest.txt')),
      ])
      assert.deepEqual(namesAndChanges(files), ['linked.txt created'])
      const named = blocks.flatMap(({ notices }) => notices).filter(({ data }) => data?.path === 'latest.txt')
      assert.match(named.map(({ code }) => code).join(), /^files-not-(?:listed|copied)$/)
    },
  },
  {
    name: 'a named program stays, with the directories above it, and can be imported',
    unless: (subject) => requiresPython(subject) ?? unlessStateful({ ...subject, language: 'python' }),
    async checkShared({ executor }) {
      const python = (...lines: string[]) => ({ language: 'python', code: lines.join('\n') })
      const result = await executor.execute([
        python('# filename: tools/answer.py', 'value = 42'),
        python('from tools.answer import value', 'print(value)'),
      ])
      assert.partialDeepStrictEqual(result, { status: 'ok', output: '42\n' })
      assert.equal(result.blocks[0]?.file, 'tools/answer.py')
    },
  },
  {
    name: 'a program without a name leaves no file',
    needs: ['print'],
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      await executor.execute([block(print('7'))])
      if (executor.workDir !== undefined) assert.deepEqual(await readdir(executor.workDir), [])
    },
  },
  {
    name: 'with `cleanupTempFiles: false` it leaves one, and the result names it',
    needs: ['print'],
    unless: unlessStateful,
    async check({ create, programs: { print }, block }) {
      await using executor = create({ cleanupTempFiles: false })
      const result = await executor.execute([block(print('7'))])
      const file = result.blocks[0]?.file ?? ''
      assert.match(file, /^block-\w+\.\w+$/)
      if (executor.workDir !== undefined) {
        assert.match(await readFile(join(executor.workDir, file), 'utf8'), /7/)
      }
    },
  },
  {
    name: 'a language whose execution policy is false is saved and not run',
    needs: ['print'],
    unless: unlessFiles,
    async check({ create, programs: { print }, block }) {
      const { language, code } = block(print('7'))
      await using executor = create({ executionPolicies: { [language]: false } })
      const result = await executor.execute([{ language, code }])
      assert.equal(result.status, 'ok')
      assert.match(result.output, /^Code saved to /)
      assert.equal(executor.capabilities.languages.includes(language), false)
    },
  },
  {
    name: 'an ordinary comment in the first line is no file name',
    needs: ['comment', 'print'],
    async checkShared({ executor, programs: { comment, print }, block }) {
      const result = await executor.execute([block(comment('This computes x/y'), print('7'))])
      assert.partialDeepStrictEqual(result, { status: 'ok', output: '7\n' })
      assert.equal(result.blocks[0]?.file, undefined)
    },
  },
  {
    name: 'HTML is saved and not run',
    unless: unlessFiles,
    async checkShared({ executor }) {
      const result = await executor.execute([
        { language: 'html', code: '<!-- filename: page.html -->\n<p>hi</p>' },
      ])
      assert.partialDeepStrictEqual(result, { status: 'ok', exitCode: 0 })
      assert.match(result.output, /^Code saved to .*page\.html\n$/)
      assert.deepEqual(namesAndChanges(result.files), ['page.html created'])
      if (executor.workDir !== undefined) {
        assert.match(await readFile(join(executor.workDir, 'page.html'), 'utf8'), /<p>hi<\/p>/)
      }
    },
  },
  {
    name: 'data that names a file is saved without that line',
    unless: unlessFiles,
    async checkShared({ executor }) {
      const result = await executor.execute([
        { language: 'json', code: '// filename: in/data.json\n{ "a": 1 }' },
      ])
      assert.deepEqual(namesAndChanges(result.files), ['in/data.json created'])
      if (executor.workDir !== undefined) {
        assert.equal(await readFile(join(executor.workDir, 'in/data.json'), 'utf8'), '{ "a": 1 }\n')
      }
    },
  },
  {
    name: 'the same code in two executors of one directory does not get in its own way',
    needs: ['sleep', 'print'],
    unless: ({ executor: { workDir } }) =>
      workDir === undefined ? 'it has no directory on this machine' : undefined,
    async check({ create, programs: { sleep, print }, block }) {
      await using first = create()
      await first.start()
      await using second = create({ workDir: first.workDir as string })
      const refusal = await second.start().catch((error: unknown) => error)
      // An executor may refuse to share its directory.
      const isRefused = FencedError.isInstance(refusal) && refusal.code === 'WORK_DIR_SHARED'
      if (refusal !== undefined && !isRefused) throw refusal
      const executors = isRefused ? [first] : [first, second]
      const program = block(sleep(0.3), print('7'))
      const results = await Promise.all(executors.map((each) => each.execute([program])))
      assert.deepEqual(
        results.map(({ status }) => status),
        executors.map(() => 'ok'),
      )
    },
  },
]

/** It saves blocks. An executor that keeps the variables of each of its languages has no files of blocks. */
function unlessFiles({ capabilities: { languages, stateful } }: RowSubject): string | undefined {
  return languages.every((id) => stateful.includes(id)) ? 'its blocks are not files' : undefined
}

function namesAndChanges(files: ReadonlyArray<{ path: string; change: string }>): string[] {
  return files.map(({ path, change }) => `${path} ${change}`).sort()
}
