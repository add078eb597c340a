import { existsSync, globSync } from 'node:fs'
import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

/** Each prints what it prints as a file. */
const programs: readonly string[] = [
  'print(1)\n1 / 0',
  'x = 1\ny = (',
  'def f():\n  return 1\nreturn 5',
  'if "x" is "y": print("é")',
  'import warnings\ndef f():\n  warnings.warn("careful")\nf()',
  'import linecache, warnings\nwarnings.warn("careful")',
  'import threading\ndef f():\n  raise ValueError("in a thread")\nt = threading.Thread(target=f); t.start(); t.join()',
  'import traceback\ntry:\n  1 / 0\nexcept Exception: print(traceback.format_exc())',
  'class A:\n  def __del__(self): raise ValueError("at the end")\na = A()\ndel a',
  'import inspect\ndef f():\n  return 7\nprint(inspect.getsource(f))',
  'import pdb, io\npdb.Pdb(stdin=io.StringIO("c\\n")).set_trace()\nx = 5\nprint(x)',
  'import multiprocessing as mp\ndef f(x): return x * x\nif __name__ == "__main__":\n  with mp.get_context("spawn").Pool(1) as pool: print(pool.map(f, [1, 2]))',
  'import os, sys\nprint(os.path.dirname(__file__) == sys.path[0] == os.getcwd())',
  'import sys\nprint(__loader__.get_source("__main__") == "x", len(sys.meta_path), sys.path[1:])',
  'import os\nprint(os.path.isfile(__file__), open(__file__).readline()[:1])',
]

/** What sees the files of a directory, and prints nothing where there are none. */
const looks: readonly string[] = [
  'import os; print(*os.listdir("."))',
  'import glob, pathlib; print(*glob.glob("*"), *glob.glob(".*"), *pathlib.Path().iterdir())',
  'import os; print(*[name for _, _, names in os.walk(".") for name in names])',
  'import subprocess; print(end=subprocess.check_output("ls -A; find . -type f", shell=True, text=True))',
  'import os; os.system("ls -A")',
  'import os\ntry: 1 / 0\nexcept Exception: __import__("traceback").format_exc()\nos.fork() or os.execvp("ls", ["ls", "-A"])\nos.wait()',
]

const git = `import subprocess
def run(command): print(end=subprocess.run(command, shell=True, capture_output=True, text=True).stdout)
run('git init -q && git status --porcelain; git add -A; git status --porcelain')
run('git clean -fdx; rm -r .git; ls -A')
1 / 0`

const script = `ls -A
find . -type f
git init -q && git status --porcelain
git add -A && git status --porcelain
git clean -fdx && rm -r .git
ls -A`

/** Of a shell: its names, its messages, and its end. */
const scripts: readonly string[] = [
  'echo a\nmissing-command\necho $((1 + 1))\nif then',
  'cd "$(dirname "$0")" && [ "$PWD" = "$(pwd -P)" ] && ps -o args= -p $$ | wc -w',
  'echo "$#" "$1"; readlink /proc/self/fd/0',
  'sleep 0 & wait; trap "echo end" EXIT; exit 3',
  'while read -r line; do echo "$line"; done; cat',
  `${'# é\n'.repeat(5_000)}echo last; missing-command`,
  'if true; then\n  echo in\nfi\ncat <<X\ntext\nX\nf() { return 4; }\nf',
]
const bashScripts = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell
  '[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo main',
  'f() { caller 0 | wc -w; }; f; declare -r x=1; x=2',
  'set -x; echo "$LINENO"',
]

const places = [
  { place: 'on this machine', missing: python.missing, options: {} },
  {
    place: 'in bubblewrap',
    missing: python.missing || bubblewrap.missing,
    options: { isolation: 'bubblewrap' },
  },
] as const

describe('an unnamed Python program', () => {
  for (const { place, missing, options } of places) {
    it.skipIf(missing)(`sees no file of its own, and git neither, ${place}`, async () => {
      await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
      // Without `warm`, also the first program.
      await using executor = new LocalCommandLineCodeExecutor({ ...options, workDir: directory.path })
      const code = looks.map((look) => ({ language: 'python', code: look }))
      const { blocks } = await executor.execute(code)
      expect(blocks.map(({ status, stdout }) => status + stdout.trim())).toEqual(looks.map(() => 'ok'))
      const ended = await executor.execute([{ language: 'python', code: git }])
      expect(ended.blocks).toMatchObject([
        { status: 'error', stdout: '', notices: [], stderr: expect.stringContaining('    1 / 0\n') },
      ])
      expect(await readdir(directory.path)).toEqual([])
    })
  }

  it.skipIf(python.missing)('does what it does as a file', async () => {
    expect(await differences({})).toEqual([])
  })

  it.each(pythons())('does what it does as a file: %s', { tags: 'nightly' }, async (path) => {
    expect(await differences({ python: path })).toEqual([])
  })
})

describe('an unnamed shell program', () => {
  for (const { place, missing, options } of places) {
    it.skipIf(missing).each(['sh', 'bash'])(
      `in %s sees no file of its own, and git neither, ${place}`,
      async (language) => {
        await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
        // Also the first program.
        await using executor = new LocalCommandLineCodeExecutor({ ...options, workDir: directory.path })
        const { blocks } = await executor.execute([{ language, code: script }])
        expect(blocks).toMatchObject([{ status: 'ok', stdout: '', notices: [] }])
        expect(await readdir(directory.path)).toEqual([])
      },
    )
  }

  it.skipIf(python.missing).each(['sh', 'bash'])('in %s does what it does as a file', async (language) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
    await using warm = new LocalCommandLineCodeExecutor({ workDir: directory.path, warm: {} })
    await using cold = new LocalCommandLineCodeExecutor({ workDir: directory.path, warm: false })
    for (const code of language === 'bash' ? [...scripts, ...bashScripts] : scripts) {
      const [without, withFile] = [await see(warm, code, language), await see(cold, code, language)]
      expect(without, code).toEqual(withFile)
    }
  })

  it.skipIf(python.missing || process.platform !== 'linux')(
    'in the place of which another one was put does not count',
    async () => {
      await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
      // Each shell reads this before its program, so the exchange is early enough.
      const exchange = `for name in .fenced-*.sh; do mv "$name" aside; echo 'echo exchanged' > "$name"; done`
      await writeFile(join(directory.path, 'exchange'), exchange)
      const env = { BASH_ENV: join(directory.path, 'exchange') }
      await using exchanged = new LocalCommandLineCodeExecutor({ workDir: directory.path, warm: {}, env })
      const { blocks } = await exchanged.execute([{ language: 'bash', code: 'echo approved' }])
      expect(blocks).toMatchObject([
        { status: 'died', stdout: 'exchanged\n', notices: [{ code: 'program-changed' }] },
      ])
    },
  )
})

/** What the programs do otherwise, without a file, than a new interpreter does with one. */
async function differences(options: LocalExecutorOptions) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
  const common = { ...options, workDir: directory.path }
  await using warm = new LocalCommandLineCodeExecutor({ ...common, warm: {} })
  await using cold = new LocalCommandLineCodeExecutor({ ...common, warm: false })
  const all: unknown[] = []
  for (const program of programs) {
    const [without, withFile] = [
      await see(warm, `# unnamed\n${program}`),
      await see(cold, `# filename: program.py\n${program}`),
    ]
    if (JSON.stringify(without) !== JSON.stringify(withFile)) all.push({ program, without, withFile })
  }
  return all
}

async function see(executor: LocalCommandLineCodeExecutor, code: string, language = 'python') {
  const { blocks } = await executor.execute([{ language, code }])
  const plain = (text = '') =>
    text.replaceAll(/\.fenced-\w+\.(py|sh)/g, 'program.$1').replaceAll(/0x\w+/g, '0x')
  return blocks.map(({ status, stdout, stderr }) => [status, plain(stdout), plain(stderr)])
}

function pythons(): string[] {
  return globSync(join(homedir(), '.pyenv/versions/3.{9,1?}.*/bin/python')).filter((path) => existsSync(path))
}
