import { createLanguageTable, extractCodeBlocks, labelOf, languageId } from '@fenced/markdown'
import { expect, test } from 'vitest'
import { htmlEntitiesNotice, notebookCommandNotice } from '../../src/engine/failures/failure-notices.ts'
import { checkFileName, fileNameOfBlock } from '../../src/language/file-name.ts'

/** What reads a block before it is run. Each is given a megabyte that is written by a model. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  labelOf: (info) => labelOf({ language: '', info }),
  languageId,
  'extractCodeBlocks, no label': (code) => extractCodeBlocks(`~~~~~~\n${code}`),
  'extractCodeBlocks, prompts': (code) =>
    ['python', 'sh'].map((label) => extractCodeBlocks(`~~~~~~${label}\n${code}`)),
  'fileNameOfBlock, its directive': (code) =>
    createLanguageTable().rows.map(({ id: language }) => fileNameOfBlock({ language, code })),
  'fileNameOfBlock, its label': (info) => fileNameOfBlock({ language: 'python', code: '', info }),
  checkFileName: (text) => checkFileName(text, '/work'),
  notebookCommandNotice,
  htmlEntitiesNotice: (text) => htmlEntitiesNotice(text, 'SyntaxError: invalid syntax'),
}

const pieces = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  'a',
  'a ',
  '.',
  '/',
  'a.',
  './',
  '\\',
  '"',
  "'",
  '`',
  '#',
  '# filename: ',
  '#!',
  '#!\n',
  '// filename: "',
  '/*',
  '<!-- filename:',
  '-->',
  '>>> ',
  '... \n',
  '$ ',
  '$ \n',
  '!',
  '%pip ',
  '!pip install ',
  'pip ',
  'pip install ',
  'pip install -q',
  '; ',
  '&& ',
  '| ',
  'sudo ',
  'sudo  pip3 ',
  'python3 -m ',
  'python  ',
  'then\t',
  '-q',
  'install ',
  '<<',
  "<<'",
  '$(',
  '((',
  '"""',
  '{',
  '[(',
  'for x in ',
  'print(',
  'a = ',
  'import a, ',
  'const a = ',
]
const beginnings = [', line 1\n!', 'pip', '# filename:', '!pip install ', '>>> ', '#!/bin/sh\n', 'print(1)\n']

const texts = [
  ...pieces.map((piece) => ['', piece] as const),
  ...beginnings.map((beginning) => [beginning, ' '] as const),
]

test.each(Object.entries(readers))(
  'a megabyte is read in linear time: %s',
  (_, read) => {
    for (const [beginning, piece] of texts) {
      const text = `${beginning}${piece.repeat(Math.floor(1_000_000 / piece.length))}x`
      const started = performance.now()
      read(text)
      // A hang, not a speed, because machines are busy.
      expect([beginning, piece, performance.now() - started < 30_000]).toEqual([beginning, piece, true])
    }
  },
  240_000,
)
