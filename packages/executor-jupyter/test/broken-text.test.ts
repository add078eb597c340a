import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { run } from './support.ts'

describeBothWays((create) => {
  let executor: JupyterCodeExecutor
  beforeAll(() => {
    executor = create()
  })
  afterAll(() => executor.stop())

  test('prints text that UTF-8 cannot encode as a program does', async () => {
    const prints = await run(executor, 'print("before")', 'print("a\\ud83d")', 'print("after")')
    expect(prints.blocks[0]).toMatchObject({ status: 'error', stdout: 'before\n' })
    expect(prints.blocks[0]?.stderr).toContain('UnicodeEncodeError')
    const rows = ['import json', 'print(1)', String.raw`print(json.loads('{"t":"caf\\u00e9 \\ud83d"}')["t"])`]
    expect((await run(executor, ...rows)).blocks[0]).toMatchObject({ status: 'error', stdout: '1\n' })
    const bytes = await run(executor, 'print("é\\udcff", "\\udcc3\\udca9")', 'print("after")')
    expect(bytes.blocks[0]).toMatchObject({ status: 'ok', stdout: 'é\uFFFD é\nafter\n' })
    const onStderr = await run(executor, 'import sys', 'print("é\\ud83d \\udcff", file=sys.stderr)')
    expect(onStderr.blocks[0]).toMatchObject({ status: 'ok', stderr: 'é\\ud83d \\udcff\n' })
  })

  test('shows errors and results with text that UTF-8 cannot encode', async () => {
    for (const line of ['raise ValueError("bad é\\ud83d")', 'assert False, "bad é\\ud83d"']) {
      const [block] = (await run(executor, 'print("before")', line)).blocks
      expect(block).toMatchObject({ status: 'error', stdout: 'before\n' })
      expect(block?.stderr).toMatch(/Error: bad é\\ud83d\n$/)
    }
    const shows = [
      'class Table:',
      '    def __repr__(self): return "é \\ud83d \\udcff"',
      '    def _repr_json_(self): return {"\\ud83d": ["\\ud83d"]}',
      'display(Table())',
      'Table()',
    ]
    const [block] = (await run(executor, ...shows)).blocks
    const table = { 'text/plain': 'é \\ud83d \\udcff', 'application/json': { '\\ud83d': ['\\ud83d'] } }
    expect(block).toMatchObject({ status: 'ok', results: [{ data: table }, { data: table }] })
  })

  test('puts the characters together that a program writes in pieces', { tags: 'all' }, async () => {
    const write =
      'import sys, time\nfor b in "漢é🙂".encode(): sys.stdout.buffer.write(bytes([b])); sys.stdout.flush(); time.sleep(0.06)'
    const starts = ['import subprocess, sys', `code = ${JSON.stringify(write)}`]
    expect((await run(executor, ...starts, '_ = subprocess.run([sys.executable, "-c", code])')).output).toBe(
      '漢é🙂',
    )
    expect((await run(executor, "!{sys.executable} -c '{code}'")).output).toBe('漢é🙂')
    const cut = await run(
      executor,
      'import os',
      'n = os.write(1, b"a\\xe6\\xbc"); n = os.write(2, b"\\xff|")',
    )
    expect(cut.blocks[0]).toMatchObject({ stdout: 'a\uFFFD', stderr: '\uFFFD|' })
    const next = await run(executor, '_ = subprocess.run(["printf", "%s", "b"])', '!printf "c\\\\346"')
    expect(next.blocks[0]).toMatchObject({ stdout: 'bc\uFFFD', notices: [] })
  })
})
