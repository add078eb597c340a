import { describe, expect, it } from 'vitest'
import { codeHash } from './code-hash.ts'
import { codeRequest } from './code-request.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'

const executor = new EchoExecutor()
const blockOf = (code: string, language = 'python') =>
  codeRequest({ agent: 'coder', executor, blocks: [{ language, code }], context: '', retryAttempt: 0 })
    .blocks[0]

describe('the request for an approval', () => {
  it('names the file of a program as the executor does', ({ everyRow }) =>
    everyRow(
      [
        ['# filename: a.py\nprint(1)', 'a.py'],
        ['#filename:  src/a.py  \r\nprint(1)', 'src/a.py'],
        ['// filename: a.js', 'a.js', 'javascript'],
        ['<!-- filename: a.html -->\n<p>', 'a.html', 'html'],
        ['/* filename: a.css */', 'a.css', 'css'],
        ['# filename: `a.py`', 'a.py'],
        ['#!/usr/bin/env python3\n# filename: a.py', 'a.py'],
        ['// filename: a.js', undefined],
        ['print(1)\n# filename: a.py', undefined],
        ['filename: str = "a"', undefined],
        ['"filename: a.py"', undefined],
        ['# a filename: a.py', undefined],
        ['', undefined],
      ],
      (code, fileName, language = 'python') => {
        expect(blockOf(code, language)?.fileName).toBe(fileName)
      },
    ))

  it.each([
    ['pip install numpy', ['numpy']],
    ["!pip install -q numpy==1.2 'pandas>=2' && echo pip", ['numpy==1.2', 'pandas>=2']],
    ['%pip install numpy\npython -m pip install --upgrade numpy scipy', ['numpy', 'scipy']],
    ['uv pip install numpy; ls', ['numpy']],
    ['pip3 install -r requirements.txt -i https://example.org/simple numpy', ['numpy']],
    ['pip install ./here', undefined],
    ['print("no")', undefined],
  ])('names the packages of %j', (code, packages) => {
    expect(blockOf(code)?.packages).toEqual(packages)
  })

  it('names an agent and a language by all of their characters in its question', () => {
    const { question } = codeRequest({
      agent: 'co\u200Bder',
      executor,
      blocks: [{ language: 'py\u202E\nthon', code: '' }],
      context: '',
      retryAttempt: 0,
    })
    expect(question).toContain('co[U+200B]der wants to run a program (py[U+202E]␊thon)')
  })

  it('has the code byte for byte', () => {
    const code = ' \tprint("é\u202E😀")\r\n\n'
    expect(blockOf(code)?.code).toBe(code)
  })
})

describe('the hash of code', () => {
  it('differs when anything that runs differs', () => {
    const programs = [
      [{ language: 'python', code: 'a' }],
      [{ language: 'sh', code: 'a' }],
      [{ language: 'python', code: 'a\n' }],
      [{ language: 'python', code: 'a', info: 'a.py' }],
      [{ language: 'not-built-in', code: 'a' }],
      [{ language: 'not-built-in', code: 'a', info: 'a.py' }],
      [
        { language: 'python', code: 'a' },
        { language: 'python', code: '' },
      ],
      [],
    ]
    expect(new Set(programs.map((blocks) => codeHash(blocks))).size).toBe(programs.length)
  })

  it('is the same whatever else is known of a block', () => {
    const block = { language: 'python', code: 'a' }
    expect(codeHash([{ ...block, line: 3 } as never])).toBe(codeHash([block]))
    expect(codeHash([block])).toMatch(/^[\da-f]{64}$/)
  })
})
