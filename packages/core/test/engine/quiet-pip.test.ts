import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quietPip } from '../../src/engine/quiet-pip.ts'
import { temporaryDirectory } from '../work-directory/temporary-directory.fixture.ts'

type Rows = [what: string, code: string, quiet: string][]

test.each<[string, string]>([
  ['a command', 'pip install x; python -m pip install y && uv pip install z'],
  ['a file that it writes', 'echo "RUN apt-get update && pip install flask" > Dockerfile'],
  ['a text over several lines', "msg='\npip install x\n'"],
  ['a plan', 'pip install --dry-run x | grep -c Would'],
])('a program of a shell is run as it is written: %s', (_, code) => {
  for (const language of ['sh', 'bash', 'powershell']) expect(quietPip(code, language, 'file')).toBe(code)
})

test.each(['javascript', 'html', 'text', 'python'])(
  'LC-51: plain `pip install` in %s is left alone',
  (language) => {
    for (const place of ['file', 'kernel'] as const)
      expect(quietPip('pip install x\n', language, place)).toBe('pip install x\n')
  },
)

describe('in Python for a kernel, which knows `!` and `%`', () => {
  test('each install is made quiet', ({ everyRow }) =>
    everyRow<[...Rows[number]]>(
      [
        ['!pip', '!pip install x', '!pip install -qq x'],
        ['! pip', '! pip install x', '! pip install -qq x'],
        ['%pip', '%pip install x', '%pip install -qq x'],
        ['!pip3, indented', 'try:\n  !pip3 install x', 'try:\n  !pip3 install -qq x'],
        ['!python -m pip', '!python -m pip install x', '!python -m pip install -qq x'],
        ['quiet by itself', '!pip install -q x', '!pip install -q x'],
        ['with CRLF', '!pip install x\r\n1', '!pip install -qq x\r\n1'],
        ['another command of pip', '!pip list', '!pip list'],
        ['a string', "s = '''\n!pip install x\n'''", "s = '''\n!pip install x\n'''"],
      ],
      (_, code, quiet) => {
        expect(quietPip(code, 'python', 'kernel')).toBe(quiet)
      },
    ))
})

const python = findPython()

function findPython(): string | undefined {
  try {
    return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

describe.skipIf(python === undefined)(
  'in Python for a file, with a real Python and a pip that says what it was asked for',
  () => {
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>

    beforeAll(async () => {
      directory = await temporaryDirectory()
      mkdirSync(join(directory.path, 'pip'))
      // A package with an __init__ comes before the real pip, which must never run here: it would install things.
      writeFileSync(join(directory.path, 'pip', '__init__.py'), '')
      writeFileSync(
        join(directory.path, 'pip', '__main__.py'),
        'import json, sys\nprint("pip", json.dumps(sys.argv[1:]), flush=True)\nsys.exit(1 if "fenced-missing" in sys.argv else 0)\n',
      )
    })
    afterAll(() => directory[Symbol.asyncDispose]())

    function run(code: string) {
      const file = join(directory.path, 'program.py')
      writeFileSync(file, quietPip(code, 'python', 'file'))
      const env = {
        ...process.env,
        PYTHONPATH: directory.path,
        PIP_NO_INDEX: '1',
        PYTHONDONTWRITEBYTECODE: '1',
      }
      const { stdout, stderr, status } = spawnSync(python ?? '', [file], {
        encoding: 'utf8',
        cwd: directory.path,
        env,
      })
      return { stdout, stderr, status }
    }

    test('each install is run, and made quiet', ({ everyRow }) =>
      everyRow<[what: string, code: string, asked: string[]]>(
        [
          ['!pip', '!pip install x', ['install', '-qq', 'x']],
          ['! pip', '! pip install x', ['install', '-qq', 'x']],
          ['%pip', '%pip install x', ['install', '-qq', 'x']],
          ['!pip3', '!pip3 install x', ['install', '-qq', 'x']],
          ['!python -m pip', '!python -m pip install x', ['install', '-qq', 'x']],
          ['!python3 -m pip', '!python3 -m pip install x', ['install', '-qq', 'x']],
          ['quiet by itself', '!pip install -q x', ['install', '-q', 'x']],
          ['another command', '!pip list --outdated', ['list', '--outdated']],
          ['a flag', '!pip --version', ['--version']],
          ['quotes', `!pip install "x>=1, <2" 'y z'`, ['install', '-qq', 'x>=1, <2', 'y z']],
          ['a comment behind it', '!pip install x  # for the plots', ['install', '-qq', 'x']],
          [
            'a fragment, which is no comment',
            '!pip install git+https://h/x#egg=x',
            ['install', '-qq', 'git+https://h/x#egg=x'],
          ],
          ['output that is thrown away', '!pip install x 2>/dev/null', ['install', '-qq', 'x']],
          ['a backslash', String.raw`!pip install x\ y`, ['install', '-qq', 'x y']],
          ['other alphabets', '!pip install "é日本"', ['install', '-qq', 'é日本']],
          ['a percent sign', '!pip install "x%s"', ['install', '-qq', 'x%s']],
          ['braces', '!pip install "x{0}"', ['install', '-qq', 'x{0}']],
          ['CRLF', '!pip install x\r\n', ['install', '-qq', 'x']],
          [
            'an indented line',
            'try:\n    import nothing_like_it\nexcept ImportError:\n    !pip install x\n',
            ['install', '-qq', 'x'],
          ],
        ],
        (_, code, asked) => {
          expect(run(code)).toEqual({
            stdout: `pip ${JSON.stringify(asked)
              .replaceAll('","', '", "')
              .replaceAll(/[\u0080-\uFFFF]/g, escaped)}\n`,
            stderr: '',
            status: 0,
          })
        },
      ))

    const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

    test('no program goes on behind an install that failed, and the exit code is pip’s', () => {
      expect(run('!pip install fenced-missing\nprint("not reached")')).toMatchObject({
        stdout: 'pip ["install", "-qq", "fenced-missing"]\n',
        stderr: '',
        status: 1,
      })
    })

    test('the lines behind it keep their numbers', () => {
      expect(run('!pip install x\n\nraise ValueError("here")').stderr).toContain('line 3')
    })

    test.each<[what: string, code: string]>([
      ['a string', "s = '''\n!pip install x\n'''\nprint(s)"],
      ['a doc string', 'def f():\n    """\n    !pip install x\n    """'],
      ['a remainder', 'pip = 3\nprint(7\n% pip)'],
      ['a remainder of more', 'pip = 3\nprint((7\n  % pip + 1))'],
      ['a variable of that name', 'pip = "!pip install x"'],
      ['a comment', '# !pip install x'],
    ])('%s is left alone', (_, code) => {
      expect(quietPip(code, 'python', 'file')).toBe(code)
      expect(run(code)).toMatchObject({ stderr: '', status: 0 })
    })
  },
)

describe('whatever the program', () => {
  const line = fc.constantFrom(
    '!pip install x',
    '%pip install',
    'pip install a; pip install b',
    '  !pip3 list',
    "'''",
    '"""',
    '# pip',
    'cat <<EOF',
    'EOF',
    'x = 1',
    '',
    'pip\\',
    '\r',
  )
  const code = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))

  test('no line comes or goes, and lines without pip stay as they are', () => {
    fc.assert(
      fc.property(
        code,
        fc.constantFrom('python', 'bash', 'powershell', 'javascript'),
        fc.constantFrom('file', 'kernel'),
        (text, language, place) => {
          const [before, after] = [text.split('\n'), quietPip(text, language, place).split('\n')]
          expect(after).toHaveLength(before.length)
          for (const [index, one] of before.entries())
            if (!one.includes('pip')) expect(after[index]).toBe(one)
        },
      ),
    )
  })

  test.each([
    ['python', `!pip ${' '.repeat(100_000)}x y${' '.repeat(100_000)}z`],
    ['python', `!pip install ${'x '.repeat(100_000)}`],
    ['bash', `${' '.repeat(200_000)}pip`],
    ['bash', 'pip install '.repeat(50_000)],
    ['bash', `${'; '.repeat(100_000)}pip install x`],
  ])(
    'a long line costs no more than its length: %#',
    (language, text) => {
      expect(quietPip(text, language, 'file')).toContain('pip')
    },
    10_000,
  )
})
