import { createLanguageTable } from '@fenced/markdown'
import { expect, test } from 'vitest'
import { readFilenameDirective } from './file-name.ts'

const table = createLanguageTable()

function read(language: string, code: string): string | undefined {
  const row = table.find(language)
  if (row === undefined) throw new Error(`There is no language ${language}.`)
  return readFilenameDirective(code, row)
}

// The ids are the rows of upstream's table (§3.4) and of its list of defects.
test('LC-40 to LC-47, D-10, D-11, D-21: the file name in the first comment', ({ everyRow }) =>
  everyRow<[what: string, language: string, code: string, name: string | undefined]>(
    [
      ['LC-40: the first line', 'python', '# filename: a.py\nprint()', 'a.py'],
      ['LC-40: with space around it', 'python', '  # filename: a.py  \nprint()', 'a.py'],
      ['LC-40: alone', 'python', '# filename: a.py', 'a.py'],
      ['LC-40: before CRLF', 'python', '# filename: a.py\r\nprint()', 'a.py'],
      ['LC-40: before CR', 'python', '# filename: a.py\rprint()', 'a.py'],
      ['LC-40: behind a byte order mark', 'python', '\uFEFF# filename: a.py\n', 'a.py'],
      ['LC-40: not the second line', 'python', 'print()\n# filename: a.py', undefined],
      ['LC-40: not behind an empty line', 'python', '\n# filename: a.py', undefined],
      ['LC-41: an HTML comment', 'html', '<!-- filename: a.html -->\n<p>', 'a.html'],
      ['LC-41: a block comment', 'css', '/* filename: a.css */', 'a.css'],
      ['LC-41: slashes', 'javascript', '// filename: a.js', 'a.js'],
      ['LC-41: only in a comment of the language', 'javascript', '# filename: a.js', undefined],
      ['LC-41: only in a comment of the language', 'python', '// filename: a.py', undefined],
      [
        'LC-41: an HTML comment that is not closed in its line',
        'html',
        '<!-- filename: a.html\n-->',
        undefined,
      ],
      ['LC-41: an HTML comment with an element behind it', 'html', '<!-- filename: a.html --><p>', undefined],
      ['LC-41: the keyword is needed', 'python', '# a.py', undefined],
      ['LC-42: spaces inside', 'python', '# filename:  my data.py ', 'my data.py'],
      ['LC-42, D-11: a second colon', 'python', '# filename: v1:2.py', 'v1:2.py'],
      ['LC-43, D-10: an ordinary comment', 'python', '# This computes stuff', undefined],
      ['LC-43, D-10: an encoding', 'python', '# -*- coding: utf-8 -*-', undefined],
      ['LC-43, D-10: a comment with a path in it', 'python', '# Calculate x/y', undefined],
      ['LC-43, D-10: a dot', 'python', '# .', undefined],
      ['LC-43, D-10: a comment about the keyword', 'python', '# The filename: a.py', undefined],
      ['LC-44: no space is needed', 'python', '#filename:a.py', 'a.py'],
      ['LC-44: nor in an HTML comment', 'html', '<!--filename:a.html-->', 'a.html'],
      ['LC-44: behind a shebang', 'python', '#!/usr/bin/env python3\n# filename: a.py\nx', 'a.py'],
      ['LC-44: behind a shebang and CRLF', 'sh', '#!/bin/sh\r\n# filename: a.sh\r\n', 'a.sh'],
      ['LC-44: behind a shebang alone', 'sh', '#!/bin/sh', undefined],
      ['LC-44: not in the third line', 'sh', '#!/bin/sh\n#\n# filename: a.sh', undefined],
      ['LC-44: data has no shebang', 'text', '#!/bin/sh\n# filename: a.txt', undefined],
      ['in backticks', 'python', '# filename: `a.py`', 'a.py'],
      ['in quotes', 'python', '# filename: "my data.py"', 'my data.py'],
      ['in single quotes', 'html', "<!-- filename: 'a.html' -->", 'a.html'],
      ['with one quote, which is the name’s', 'python', '# filename: `a.py', '`a.py'],
      ['quotes around nothing, to be refused by its name', 'python', '# filename: ""', ''],
      ['one quote and nothing else', 'python', '# filename: "', '"'],
      ['LC-44: in any case', 'python', '# Filename: A.py', 'A.py'],
      ['LC-46, D-11: empty, to be refused by its name', 'python', '# filename: ', ''],
      ['LC-46: empty, in a comment that closes', 'css', '/* filename: */', ''],
      ['LC-47, D-21: any path, to be refused by its name', 'python', '# filename: ../evil.py', '../evil.py'],
      ['D-21: for every language', 'sh', '# filename: run.sh', 'run.sh'],
      ['an opener and a closer that overlap', 'css', '/*/', undefined],
      ['an opener and a closer that overlap', 'html', '<!-->', undefined],
      ['data with comments', 'csv', '# filename: a.csv\n1,2', 'a.csv'],
      ['a language without comments', 'diff', '# filename: a.diff', undefined],
      ['nothing', 'python', '', undefined],
    ],
    (_, language, code, name) => {
      expect(read(language, code)).toBe(name)
    },
  ))

test('a first line of a megabyte costs nothing', () => {
  expect(read('python', `# filename:${' '.repeat(2 ** 20)}x`)).toBe('x')
  expect(read('css', `/*${' '.repeat(2 ** 20)}`)).toBeUndefined()
})
