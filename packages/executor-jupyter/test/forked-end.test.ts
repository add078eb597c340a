// @module-tag all

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { jupyter, run } from './support.ts'

/** What an interpreter writes when it ends, and no earlier. */
const leavesUnwritten = [
  'import codecs, json, os, sitecustomize',
  "json.out = open('module.txt', 'w')",
  "_ = json.out.write('data')",
  'class Search:',
  "    out = open('method.txt', 'w')",
  '    def find(self, name): pass',
  "_ = Search.out.write('data')",
  'codecs.register(Search().find)',
  'class Cycle:',
  '    def __init__(self): self.me = self',
  '    def __del__(self):',
  '        import subprocess',
  "        with open('destructor.txt', 'w', encoding='latin-1') as file: file.write('data')",
  'cycle = Cycle()',
  "_ = sitecustomize.log.write('cell\\n')",
]
const files = ['module.txt', 'method.txt', 'destructor.txt']

describe.skipIf(jupyter.missing || process.platform !== 'linux')('the end of a kernel that is a fork', () => {
  test('writes what the end of an interpreter writes', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(workDir, { recursive: true, force: true }))
    const log = join(workDir, 'log.txt')
    writeFileSync(
      join(workDir, 'sitecustomize.py'),
      `log = open(${JSON.stringify(log)}, 'a'); log.write('started ')`,
    )
    const executor = await forkedExecutor({ ...inOwnEnvironment({ PYTHONPATH: workDir }), workDir })
    const { output } = await run(executor, ...leavesUnwritten, 'print(os.getppid())')
    await executor.stop()
    expect(Number(output)).not.toBe(process.pid)
    const written = files.map((name) => readFileSync(join(workDir, name), 'utf8'))
    expect([written, readFileSync(log, 'utf8')]).toEqual([['data', 'data', 'data'], 'started cell\n'])
  })
})
