// @module-tag all

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { jupyter, run } from './support.ts'

describe.skipIf(jupyter.missing || process.platform !== 'linux')('a kernel after the first', () => {
  let workDir: string

  beforeEach(() => {
    workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(workDir, { recursive: true, force: true }))
  })

  test('imports from archives and directories as an earlier kernel has left them', async () => {
    const archive = join(workDir, 'lib.zip')
    await using executor = await forkedExecutor({
      ...inOwnEnvironment({ PYTHONPATH: `${archive}:${join(workDir, 'made')}` }),
      workDir,
    })
    const write = (...modules: string[]) => [
      'import os, zipfile',
      "with zipfile.ZipFile('lib.zip', 'w') as archive:",
      ...modules.map((name, index) => `    archive.writestr('${name}.py', 'x = ${index + 6}')`),
    ]
    await run(executor, ...write('helper'))
    await executor.restart()
    expect((await run(executor, 'import helper; print(helper.x)')).output).toBe('6\n')
    await run(
      executor,
      ...write('other', 'helper'),
      "os.mkdir('made')",
      "_ = open('made/late.py', 'w').write('x = 8')",
    )
    await executor.restart()
    const { output } = await run(executor, 'import helper, late, os', 'print(helper.x, late.x, os.getppid())')
    expect(output).toMatch(/^7 8 \d+\n$/)
    expect(output).not.toContain(` ${process.pid}\n`)
  })

  test('finds the modules of a relative PYTHONPATH in its working directory', async () => {
    mkdirSync(join(workDir, 'lib'))
    writeFileSync(join(workDir, 'lib', 'helper.py'), 'x = 9')
    await using executor = await forkedExecutor({ ...inOwnEnvironment({ PYTHONPATH: 'lib' }), workDir })
    const { output } = await run(executor, "import helper, sys; print(helper.x, '/' in sys.path)")
    expect(output).toBe('9 False\n')
  })

  test('has the threads of a sitecustomize', async () => {
    const lines = [
      'import threading',
      'lock, release = threading.Lock(), threading.Event()',
      'def hold():',
      '    with lock: release.wait()',
      'threading.Thread(target=hold, daemon=True).start()',
    ]
    writeFileSync(join(workDir, 'sitecustomize.py'), lines.join('\n'))
    await using executor = await forkedExecutor(inOwnEnvironment({ PYTHONPATH: workDir }))
    const { output } = await run(
      executor,
      'import sitecustomize as s',
      's.release.set()',
      "with s.lock: print('free')",
    )
    expect(output).toBe('free\n')
  })
})
