import { type CodeBlock, createLanguageTable, type Language } from '@fenced/markdown'
import { describe, expect, test } from 'vitest'
import { planBlock } from './plan-block.ts'

const r: Language = { id: 'r', aliases: ['rscript'], extension: 'R', comments: [{ open: '#' }], kind: 'run' }
const known = 'python, bash, r'

const kernel = {
  name: 'here',
  driver: {},
  capabilities: { languages: ['python', 'bash', 'r'] },
  languages: createLanguageTable({ languages: [r] }),
}
const withFiles = { ...kernel, driver: { workDirectory: { path: '/place' } } }
const ofNode = { ...withFiles, capabilities: { languages: ['javascript', 'typescript'] } }

const block = (code: string, language = 'python', more: Partial<CodeBlock> = {}): CodeBlock => ({
  language,
  code,
  ...more,
})
const planOf = (code: string, language?: string, more?: Partial<CodeBlock>) =>
  planBlock(block(code, language, more), withFiles)

describe('a program runs', () => {
  test('as it is written, in the language of its label', () => {
    const language = expect.objectContaining({ id: 'python' })
    expect(planOf('print()')).toEqual({
      ...{ action: 'run', language, code: 'print()', fileName: undefined, extension: 'py' },
    })
  })

  test.each([
    ['PY', 'python'],
    ['Rscript', 'r'],
  ])('in the language that the label %s means', (label, id) => {
    expect(planOf('', label)).toMatchObject({ action: 'run', language: { id } })
  })

  test.each([
    ['the first line', '# filename: sub/a.py\n1', '', 'sub/a.py'],
    ['the first line, as an absolute path in the working directory', '# filename: /place/a.py', '', 'a.py'],
    ['the label', '1', 'src/app.py', 'src/app.py'],
    ['the label, also where that is a runtime', '1', 'node.js', 'node.js'],
    ['the first line, although the label names another file', '# filename: a.py', 'app.py', 'a.py'],
  ])('in a file that is named by %s', (_, code, info, fileName) => {
    const language = { id: 'python' }
    expect(planOf(code, 'python', { info })).toMatchObject({ action: 'run', language, code, fileName })
  })

  test.each([
    ['an ordinary comment', '# This computes stuff\n1', ''],
    ['a version in the label', '1', 'python3.12'],
    ['an extension for the label', '1', '.py'],
  ])('without a file name: %s is none', (_, code, info) => {
    expect(planOf(code, 'python', { info })).toMatchObject({ action: 'run', fileName: undefined })
  })

  test('by the interpreter of a similar language, and a notice says so', () => {
    const notice = { code: 'interpreter-substituted', data: { label: 'zsh', language: 'bash' } }
    expect(planOf('1', 'bash', { info: 'zsh' })).toMatchObject({ action: 'run', extension: 'sh', notice })
  })

  test.each([
    ['it is a command that installs packages', 'pip install x', 'bash'],
    ['it is empty', '', 'python'],
  ])('also where %s', (_, code, language) => {
    expect(planOf(code, language)).toMatchObject({ action: 'run', code })
  })

  test('where its fence is closed', () => {
    expect(planOf('1', 'python', { closed: true })).toMatchObject({ action: 'run' })
  })

  test.each([
    ['mjs title="a"', 'javascript', 'mjs'],
    ['', 'cts', 'cts'],
    ['js', 'javascript', 'cjs'],
    ['app', 'mjs', 'mjs'],
  ])('with the extension of its label, without a name: %s, %s', (info, language, extension) => {
    const plan = planBlock(block('1', language, { info }), ofNode)
    expect(plan).toMatchObject({ action: 'run', extension, fileName: undefined })
  })
})

describe('a block is saved', () => {
  test('without its first line where that names the file of data', () => {
    expect(planOf('# filename: a.csv\n1', 'csv')).toMatchObject({
      action: 'save',
      fileName: 'a.csv',
      code: '1',
    })
  })

  test('whole where its label names the file of data', () => {
    const plan = { action: 'save', fileName: 'a.csv', code: '# 1\n2' }
    expect(planOf('# 1\n2', 'csv', { info: 'a.csv' })).toMatchObject(plan)
  })

  test('where it is a document, with the name that its first line gives', () => {
    expect(planOf('<p>', 'html')).toMatchObject({ action: 'save', fileName: undefined })
    expect(planOf('<!-- filename: a.html -->', 'htm')).toMatchObject({ action: 'save', fileName: 'a.html' })
  })
})

describe('a block is skipped', () => {
  test.each([
    ['it is data without a name', '{}', 'json', 'data'],
    ['it has no language', 'hello', '', 'no-language'],
    ['it is output that a model shows', '$ ls', 'console', 'data'],
  ])('where %s', (_, code, language, noticeCode) => {
    expect(planOf(code, language)).toMatchObject({ action: 'skip', notice: { code: noticeCode } })
  })

  test('where it is a Markdown document whose end is not certain', () => {
    const plan = planOf('<!-- filename: a.md -->', 'md', { line: 2, almostClosed: 'Why.' })
    expect(plan).toMatchObject({ action: 'skip', notice: { code: 'unclosed', data: { line: '2' } } })
  })

  test('where a tag stands above it instead of a fence, which the notice quotes', () => {
    const message = expect.stringContaining('Line 1 has a tag.')
    const plan = planOf('hello', '', { line: 3, tagAbove: 'Line 1 has a tag.' })
    expect(plan).toMatchObject({ action: 'skip', notice: { code: 'no-language', message } })
  })

  test.each([
    ['an unknown language', 'klingon', { line: 3 }, { line: '3', language: 'klingon', known }],
    ['a file of an unknown language', 'main.klingon', { info: 'main.klingon' }, { language: 'main.klingon' }],
  ])('where its label is %s', (_, language, more, data) => {
    const notice = { code: 'unknown-language', data }
    expect(planOf('', language, more)).toMatchObject({ action: 'skip', notice })
  })

  test('where the executor does not run its language, and the notice names those that it runs', () => {
    const data = { language: 'javascript', executor: 'here', known }
    expect(planOf('', 'js')).toMatchObject({ action: 'skip', notice: { code: 'unsupported-language', data } })
  })
})

describe('a block is refused', () => {
  test.each([
    ['its fence is not closed', 'print(', 'python', { line: 7, closed: false }, 'unclosed', { line: '7' }],
    ['it is data whose fence is not closed', '{', 'json', { closed: false }, 'unclosed', {}],
    ['it has half a character', '"\uD800"', 'python', { line: 3 }, 'invalid', { line: '3' }],
  ])('where %s', (_, code, language, more, noticeCode, data) => {
    const notice = { code: noticeCode, message: expect.any(String), data }
    expect(planOf(code, language, more)).toEqual({ action: 'refuse', notice })
  })

  test('where its fence is almost closed, and the notice quotes the reason', () => {
    const almostClosed = 'Line 9 is long.'
    const notice = { code: 'unclosed', message: expect.stringContaining(almostClosed), data: {} }
    expect(planOf('print(', 'python', { closed: false, almostClosed })).toEqual({ action: 'refuse', notice })
  })

  test.each([
    ['a program leads out', '# filename: ../evil.py', 'python', '../evil.py'],
    ['a program is an absolute path outside', '# filename: /etc/cron.d/x', 'python', '/etc/cron.d/x'],
    ['a program is empty', '# filename: ', 'python', ''],
    ['a program is the directory itself', '# filename: .', 'python', '.'],
    ['a program leads out by a detour', '# filename: a/../../b.sh', 'bash', 'a/../../b.sh'],
    ['data leads out', '# filename: ../a.csv', 'csv', '../a.csv'],
    ['a document is an absolute path', '/* filename: /a.css */', 'css', '/a.css'],
  ])('where the name of %s', (_, code, language, path) => {
    const notice = { code: 'file-name', message: expect.any(String), data: { path, directory: '/place' } }
    expect(planOf(code, language)).toEqual({ action: 'refuse', notice })
  })

  test.each(['../app.py', '../a\u202Epp.py'])('where its label leads out: %j', (info) => {
    const data = { path: '../app.py', directory: '/place' }
    const notice = { code: 'file-name', message: expect.any(String), data }
    expect(planOf('1', 'python', { info })).toEqual({ action: 'refuse', notice })
  })
})

describe('a driver that takes text, as a kernel does,', () => {
  test.each([
    ['runs a program', '1'],
    ['takes a directive for the comment that it is', '# filename: ../a.py'],
    ['leaves `!pip` to the kernel', '!pip install x'],
  ])('%s', (_, code) => {
    expect(planBlock(block(code), kernel)).toMatchObject({ action: 'run', code, fileName: undefined })
  })

  test.each([
    ['saves no document', '<p>', 'html', 'not-run'],
    ['saves no data', '# filename: a.csv', 'csv', 'not-run'],
    ['skips a language that it does not run', '', 'js', 'unsupported-language'],
  ])('%s', (_, code, language, noticeCode) => {
    expect(planBlock(block(code, language), kernel)).toMatchObject({
      action: 'skip',
      notice: { code: noticeCode },
    })
  })
})
