import { type CodeBlock, createLanguageTable, type Language } from '@fenced/markdown'
import { describe, expect, test } from 'vitest'
import { parseOptions } from '../options/parse-options.ts'
import { DirectoryLease } from '../work-directory/directory-lease.ts'
import { HostWorkDirectory } from '../work-directory/host-work-directory.ts'
import { z } from '../zod.ts'
import { EarlierPrograms } from './earlier-programs.ts'
import type { EngineContext } from './engine-context.ts'
import { engineOptionsShape } from './options.ts'
import { planBlock } from './plan-block.ts'

const r: Language = { id: 'r', aliases: ['rscript'], extension: 'R', comments: [{ open: '#' }], kind: 'run' }

function place({ files = true, languages = ['python', 'bash', 'r'] } = {}): EngineContext {
  return {
    name: 'here',
    driver: {
      ...(files ? { workDirectory: new HostWorkDirectory({ path: '/place' }) } : {}),
      run: () => expect.fail('a plan runs nothing'),
    },
    capabilities: {
      languages,
      isolation: 'none',
      stateful: false,
      richOutput: false,
      network: true,
      limits: { memory: false, processes: false },
    },
    options: parseOptions(z.strictObject(engineOptionsShape), {}, 'the executor'),
    languages: createLanguageTable({ languages: [r] }),
    lease: new DirectoryLease({ isolation: 'none' }),
    stopGraceMs: 1,
    prepareTimeoutMs: 0,
    earlierPrograms: new EarlierPrograms(),
    markBroken: () => {},
  }
}

const code = (text: string, language = 'python'): CodeBlock => ({ language, code: text })

describe('a program', () => {
  test('runs with the language, name and extension of its label and its first line', ({ everyRow }) =>
    everyRow<[what: string, block: CodeBlock, plan: object]>(
      [
        [
          'by id',
          code('print()'),
          {
            action: 'run',
            language: expect.objectContaining({ id: 'python' }),
            code: 'print()',
            fileName: undefined,
          },
        ],
        [
          'by alias and in any case',
          code('', 'PY'),
          { action: 'run', language: expect.objectContaining({ id: 'python' }) },
        ],
        [
          'of a language that was added',
          code('', 'Rscript'),
          { action: 'run', language: expect.objectContaining({ id: 'r' }) },
        ],
        [
          'with a name, D-10',
          code('# filename: sub/a.py\n1'),
          { action: 'run', fileName: 'sub/a.py', code: '# filename: sub/a.py\n1' },
        ],
        [
          'with an absolute name inside, LC-45',
          code('# filename: /place/a.py'),
          { action: 'run', fileName: 'a.py' },
        ],
        [
          'with an ordinary comment, LC-43',
          code('# This computes stuff\n1'),
          { action: 'run', fileName: undefined },
        ],
        [
          'with a file for its label',
          { ...code('1'), info: 'src/app.py' },
          { action: 'run', language: expect.objectContaining({ id: 'python' }), fileName: 'src/app.py' },
        ],
        [
          'with a file for its label, and another name in it',
          { ...code('# filename: a.py'), info: 'app.py' },
          { action: 'run', fileName: 'a.py' },
        ],
        ['with a version for its label', { ...code('1'), info: 'python3.12' }, { fileName: undefined }],
        ['with an extension for its label', { ...code('1'), info: '.py' }, { fileName: undefined }],
        ['with a runtime for its label', { ...code('1', 'python'), info: 'node.js' }, { action: 'run' }],
        [
          'of a language that another one runs',
          { ...code('1', 'bash'), info: 'zsh' },
          { action: 'run', extension: 'sh', notice: { code: 'interpreter-substituted' } },
        ],
        ['as it is written', code('pip install x', 'bash'), { action: 'run', code: 'pip install x' }],
        ['that is empty', code(''), { action: 'run', code: '' }],
        ['that is known to be whole', { ...code('1'), closed: true }, { action: 'run' }],
      ],
      (_, block, plan) => {
        expect(planBlock(block, place())).toMatchObject(plan)
      },
    ))
})

test.each<[label: string, language: string, extension: string]>([
  ['mjs title="a"', 'javascript', 'mjs'],
  ['', 'cts', 'cts'],
  ['js', 'javascript', 'cjs'],
  ['app', 'mjs', 'mjs'],
])('a label chooses the extension of a program without a name: %s, %s', (info, language, extension) => {
  const plan = planBlock({ ...code('1', language), info }, place({ languages: ['javascript', 'typescript'] }))
  expect(plan).toMatchObject({ action: 'run', extension, fileName: undefined })
})

describe('a block that is not run', () => {
  test.each<[what: string, block: CodeBlock, plan: object]>([
    ['data', code('{}', 'json'), { action: 'skip', notice: { code: 'data' } }],
    ['data with a name', code('# filename: a.csv\n1', 'csv'), { action: 'save', fileName: 'a.csv' }],
    [
      'data whose label is a file: all of it',
      { ...code('# 1\n2', 'csv'), info: 'a.csv' },
      { action: 'save', fileName: 'a.csv', code: '# 1\n2' },
    ],
    [
      'a Markdown document whose end is not certain',
      { ...code('<!-- filename: a.md -->', 'md'), line: 2, almostClosed: 'Why.' },
      { action: 'skip', notice: { code: 'unclosed', data: { line: '2' } } },
    ],
    ['a document', code('<p>', 'html'), { action: 'save', fileName: undefined }],
    [
      'a document with a name',
      code('<!-- filename: a.html -->', 'htm'),
      { action: 'save', fileName: 'a.html' },
    ],
    ['no language', code('hello', ''), { action: 'skip', notice: { code: 'no-language' } }],
    [
      'a tag instead of a fence above it',
      { ...code('hello', ''), line: 3, tagAbove: 'Line 1 has a tag.' },
      {
        action: 'skip',
        notice: { code: 'no-language', message: expect.stringContaining('Line 1 has a tag.') },
      },
    ],
    ['output that a model shows', code('$ ls', 'console'), { action: 'skip' }],
    [
      'an unknown language',
      { ...code('', 'klingon'), line: 3 },
      {
        action: 'skip',
        notice: {
          code: 'unknown-language',
          data: { line: '3', language: 'klingon', known: 'python, bash, r' },
        },
      },
    ],
    [
      'a file of an unknown language',
      { ...code('', 'main.klingon'), info: 'main.klingon' },
      { action: 'skip', notice: { code: 'unknown-language', data: { language: 'main.klingon' } } },
    ],
    [
      'a language that is not run here',
      code('', 'js'),
      {
        action: 'skip',
        notice: {
          code: 'unsupported-language',
          data: { language: 'javascript', executor: 'here', known: 'python, bash, r' },
        },
      },
    ],
  ])('%s', (_, block, plan) => {
    expect(planBlock(block, place())).toMatchObject(plan)
  })
})

describe('a block that is refused', () => {
  test('says why, and in which line it began', ({ everyRow }) =>
    everyRow<[what: string, block: CodeBlock, noticeCode: string, data: object]>(
      [
        ['not closed', { ...code('print('), line: 7, closed: false }, 'unclosed', { line: '7' }],
        [
          'almost closed',
          { ...code('print('), closed: false, almostClosed: 'Line 9 is long.' },
          'unclosed',
          {},
        ],
        ['with half a character', { ...code('"\uD800"'), line: 3 }, 'invalid', { line: '3' }],
        ['not closed, although it is data', { ...code('{', 'json'), closed: false }, 'unclosed', {}],
        [
          'a label that leads out',
          { ...code('1'), info: '../app.py' },
          'file-name',
          { path: '../app.py', directory: '/place' },
        ],
        [
          'a label with characters that nobody sees',
          { ...code('1'), info: '../a\u202Epp.py' },
          'file-name',
          { path: '../app.py', directory: '/place' },
        ],
        [
          'LC-45, D-21: a name that leads out',
          code('# filename: ../evil.py'),
          'file-name',
          { path: '../evil.py', directory: '/place' },
        ],
        [
          'D-21: an absolute name outside',
          code('# filename: /etc/cron.d/x'),
          'file-name',
          { path: '/etc/cron.d/x', directory: '/place' },
        ],
        ['LC-46, D-11: an empty name', code('# filename: '), 'file-name', { path: '', directory: '/place' }],
        [
          'D-11: the directory itself',
          code('# filename: .'),
          'file-name',
          { path: '.', directory: '/place' },
        ],
        [
          'a bad name for data',
          code('# filename: ../a.csv', 'csv'),
          'file-name',
          { path: '../a.csv', directory: '/place' },
        ],
        [
          'a bad name for a document',
          code('/* filename: /a.css */', 'css'),
          'file-name',
          { path: '/a.css', directory: '/place' },
        ],
        [
          'a bad name before everything else',
          code('# filename: a/../../b.sh', 'bash'),
          'file-name',
          { path: 'a/../../b.sh', directory: '/place' },
        ],
      ],
      (_, block, noticeCode, data) => {
        expect(planBlock(block, place())).toEqual({
          action: 'refuse',
          notice: { code: noticeCode, message: expect.any(String), data },
        })
      },
    ))

  test('with an almost closed fence quotes what the extraction says about it', () => {
    const almostClosed = 'Line 9 is long.'
    const { notice } = {
      notice: undefined,
      ...planBlock({ ...code('1'), closed: false, almostClosed }, place()),
    }
    expect(notice?.message).toContain(almostClosed)
  })
})

describe('a driver that takes text, as a kernel does', () => {
  test.each<[what: string, block: CodeBlock, plan: object]>([
    ['runs a program', code('1'), { action: 'run', code: '1', fileName: undefined }],
    [
      'takes a directive for the comment that it is',
      code('# filename: ../a.py'),
      { action: 'run', fileName: undefined },
    ],
    ['leaves `!pip` to the kernel', code('!pip install x'), { action: 'run', code: '!pip install x' }],
    ['saves no documents', code('<p>', 'html'), { action: 'skip', notice: { code: 'not-run' } }],
    ['saves no data', code('# filename: a.csv', 'csv'), { action: 'skip' }],
    [
      'skips what it does not run',
      code('', 'js'),
      { action: 'skip', notice: { code: 'unsupported-language' } },
    ],
  ])('%s', (_, block, plan) => {
    expect(planBlock(block, place({ files: false }))).toMatchObject(plan)
  })
})
