import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { run } from './support.ts'

describeBothWays(
  (create) => {
    let executor: JupyterCodeExecutor
    beforeAll(async () => {
      executor = create()
      await executor.start()
    })
    afterAll(() => executor.stop())

    test('variables, functions and imports live on, in one call and in the next', async () => {
      const defined = await executor.execute([
        { language: 'python', code: 'import math\nvalue = 2' },
        { language: 'py', code: 'def area(r):\n    return math.pi * r ** value' },
      ])
      expect(defined).toMatchObject({ status: 'ok', output: '' })
      expect((await run(executor, 'round(area(1), 2)')).output).toBe('3.14\n')
    })

    test('the last value of a cell is its result, and is remembered', async () => {
      expect(await run(executor, "x = 'a'", 'x * 3')).toMatchObject({
        output: "'aaa'\n",
        blocks: [
          {
            stdout: '',
            results: [{ kind: 'value', data: { 'text/plain': "'aaa'" }, executionCount: expect.any(Number) }],
          },
        ],
      })
      expect((await run(executor, '_')).output).toBe("'aaa'\n")
    })

    test('`await` works at the top level', async () => {
      const result = await run(executor, 'import asyncio', 'await asyncio.sleep(0.01, "awaited")')
      expect(result.output).toBe("'awaited'\n")
    })

    test('magics and shell lines work', async () => {
      expect((await run(executor, '!echo "from the shell"; echo twice')).output).toBe(
        'from the shell\ntwice\n',
      )
      expect((await run(executor, '%%bash', 'echo from a cell magic')).output).toBe('from a cell magic\n')
      expect((await run(executor, '%cd -q /tmp', 'import os', 'print(os.getcwd())')).output).toBe('/tmp\n')
      expect((await run(executor, '%pip --version')).output).toMatch(/^pip \d/)
      expect((await run(executor, '!python -c "import sys; print(sys.prefix)"')).output.trim()).toBe(
        (await run(executor, 'import sys', 'print(sys.prefix)')).output.trim(),
      )
    })

    test('help that IPython would show in a pager is output', async () => {
      expect((await run(executor, 'print?')).output).toContain('Docstring:')
    })

    test('an error keeps what was printed before, without colours, and all variables', async () => {
      const result = await run(executor, 'kept = 1', "print('before')", 'kept / 0')
      expect(result).toMatchObject({ status: 'error', exitCode: 1 })
      expect(result.output).toMatch(
        /^before\n-+\nZeroDivisionError[\s\S]*ZeroDivisionError: division by zero\n$/,
      )
      expect(result.output).not.toContain('\u001b')
      expect(result.blocks[0]?.stderr).toContain('ZeroDivisionError')
      expect((await run(executor, 'print(kept)')).output).toBe('1\n')
    })

    test('a syntax error is an error', async () => {
      const result = await run(executor, "print('unclosed")
      expect(result).toMatchObject({
        status: 'error',
        exitCode: 1,
        output: expect.stringContaining('SyntaxError'),
      })
    })

    test.each<[code: string, exitCode: number, output: string]>([
      ['import sys; sys.exit(3)', 3, ''],
      ['import sys; sys.exit()', 0, ''],
      ['import sys; sys.exit("no luck")', 1, 'no luck\n'],
      ['raise SystemExit(True)', 1, ''],
      // IPython's own `exit` asks a prompt to close; it has no exit code.
      ['exit(4)', 0, ''],
    ])('`%s` ends the cell and not the kernel', async (code, exitCode, output) => {
      await run(executor, 'alive = True')
      expect(await run(executor, code)).toMatchObject({
        status: exitCode === 0 ? 'ok' : 'error',
        exitCode,
        output,
      })
      expect((await run(executor, 'print(alive)')).output).toBe('True\n')
    })

    test('input() is refused with a reason that a model can read', async () => {
      const result = await run(executor, "print('before')", 'input()')
      expect(result).toMatchObject({ status: 'error', exitCode: 1 })
      expect(result.output).toMatch(/^before\n[\s\S]*does not support input requests/)
    })

    test('a language that the kernel does not speak is invalid, and the reason is said', async () => {
      for (const language of ['sh', 'bash', 'javascript']) {
        const result = await executor.execute([{ language, code: 'echo 1' }])
        const data = { language, executor: 'jupyter', known: 'python' }
        const notices = [{ code: 'unsupported-language', data }]
        expect(result).toMatchObject({ status: 'invalid', exitCode: 127, blocks: [{ notices }] })
      }
    })

    test('restart() makes it empty', async () => {
      await run(executor, 'gone = 1')
      await executor.restart()
      expect((await run(executor, "print('gone' in globals())")).output).toBe('False\n')
    })

    test('it works in the output directory, and names files there', async () => {
      const workDir = await realpath(await mkdtemp(join(tmpdir(), 'fenced test é-')))
      await using used = create({ workDir })
      const made = await run(used, 'import os', "open('made.txt', 'w').write('x')", 'print(os.getcwd())')
      expect(made).toMatchObject({
        output: `${workDir}\n`,
        files: [{ path: 'made.txt', change: 'created' }],
      })
      const named = await run(used, '# filename: tool.py', 'answer = 42')
      expect(named.blocks[0]?.file).toBe('tool.py')
      expect((await run(used, 'import tool', 'print(tool.answer, answer)')).output).toBe('42 42\n')
      await rm(workDir, { recursive: true })
    })

    test('two executors do not see each other’s variables', async () => {
      await using other = create()
      await run(executor, 'mine = 1')
      expect((await run(other, "print('mine' in globals())")).output).toBe('False\n')
    })
  },
  { isolated: true, rows: rowTags({ nightly: ['in bubblewrap'] }) },
)
