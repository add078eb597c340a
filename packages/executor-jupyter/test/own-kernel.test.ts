import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { directExecutor, jupyter, run } from './support.ts'

describe.skipIf(jupyter.missing)('a kernel of our own', () => {
  test('begins as ipykernel’s launcher does, and has a debugger for programs that load it', async () => {
    await using executor = directExecutor()
    const { output } = await run(
      executor,
      'import os, sys',
      "print(os.path.basename(sys.argv[0]), sys.argv[1], 'debugpy' in sys.modules)",
      'import debugpy',
      'print(callable(debugpy.breakpoint))',
    )
    expect(output).toBe('ipykernel_launcher.py -f False\nTrue\n')
  })

  test('loads nothing of itself from its working directory, and a cell does', async () => {
    const outputDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(outputDir, { recursive: true }))
    const names = ['runpy', 'ipykernel', 'ipykernel_launcher', 'IPython', 'zmq', 'mine']
    for (const name of names) writeFileSync(join(outputDir, `${name}.py`), `print('loaded ${name}')`)
    await using executor = directExecutor({ outputDir })
    expect((await run(executor, 'import mine')).output).toBe('loaded mine\n')
  })
})
