import { expect, test } from 'vitest'
import { extractCodeBlocks } from './extract-code-blocks.ts'

test('prompts are taken off when every line has one', ({ everyRow }) =>
  everyRow<[what: string, label: string, code: string, found: string]>(
    [
      ['Python', 'python', '>>> x = 1\n>>> print(x)', 'x = 1\nprint(x)'],
      [
        'Python over several lines',
        'py',
        '>>> for x in y:\n...     print(x)\n...\n>>>',
        'for x in y:\n    print(x)\n\n',
      ],
      ['Python with blank lines', 'python', '\n>>> x\n\n>>> y\n', '\nx\n\ny\n'],
      ['Python with output', 'python', '>>> print(1)\n1', '>>> print(1)\n1'],
      ['Python that begins with an ellipsis', 'python', '...\n... ', '...\n... '],
      ['a prompt in a string', 'python', 'x = """\n>>> y\n"""', 'x = """\n>>> y\n"""'],
      ['a shell', 'bash', '$ cd a\n$ ls', 'cd a\nls'],
      ['a shell with blank lines', 'sh', '$ cd a\n\n$ ls', 'cd a\n\nls'],
      ['another shell', 'zsh', '$ ls', 'ls'],
      ['a shell with output', 'sh', '$ ls\na.txt', '$ ls\na.txt'],
      ['a variable', 'sh', '$x\n$y', '$x\n$y'],
      ['other languages', 'js', '$ \n$ ', '$ \n$ '],
      ['no label, which may be a session that is shown', '', '$ npm install', '$ npm install'],
      ['nothing', 'sh', '', ''],
    ],
    (_, label, code, found) => {
      expect(extractCodeBlocks(`\`\`\`${label}\n${code}\n\`\`\``)[0]?.code).toBe(found)
    },
  ))
