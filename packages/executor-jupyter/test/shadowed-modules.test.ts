// @module-tag all

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JupyterCodeExecutor, SandboxJupyterServer } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { sandboxKinds } from './servers.ts'
import { directExecutor, jupyter, jupyterProgram, run } from './support.ts'

/** A directory in which each module of the standard library, and some of the kernel's own, has a file of its name. */
function shadowingDirectory(): string {
  const workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  onTestFinished(() => rmSync(workDir, { recursive: true }))
  const question = 'import sys; print(*sys.stdlib_module_names)'
  const { stdout } = spawnSync(jupyterProgram('python'), ['-I', '-c', question], { encoding: 'utf8' })
  // Since 3.13, Python itself loads this module before the first statement of `-c`.
  const names = stdout.split(/\s+/).filter((name) => name !== 'linecache')
  for (const name of [...names, ...ofKernels, 'mine']) {
    writeFileSync(join(workDir, `${name}.py`), `print('loaded ${name}')`)
  }
  return workDir
}

const ofKernels = [
  ...['ipykernel', 'ipykernel_launcher', 'IPython', 'zmq', 'dateutil', 'jupyter_client', 'pexpect', 'comm'],
  ...['jupyter_server', 'tornado', 'traitlets', 'stack_data', 'pygments', 'psutil', 'matplotlib_inline'],
]

const cell = ['import mine', '!echo shell']
const loaded = 'loaded mine\nshell\n'

describeBothWays(
  (create) => {
    test('loads nothing of itself from its working directory, and a cell does', async () => {
      const workDir = shadowingDirectory()
      await using executor = create({ workDir })
      expect((await run(executor, ...cell)).output).toBe(loaded)
      expect((await run(executor, 'import os; os._exit(3)')).status).toBe('died')
      await executor.restart()
      expect((await run(executor, ...cell)).output).toBe(loaded)
    })
  },
  { isolated: true, rows: rowTags({ nightly: ['in bubblewrap'] }) },
)

describe.skipIf(jupyter.missing)('a working directory with files of the names of modules', () => {
  test.skipIf(process.platform !== 'linux')('does not reach a fork', { tags: 'nightly' }, async () => {
    await using executor = await forkedExecutor({ ...inOwnEnvironment(), workDir: shadowingDirectory() })
    expect((await run(executor, ...cell)).output).toBe(loaded)
  })

  test('does not reach the kernel of another Python', async () => {
    const jupyterPath = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(jupyterPath, { recursive: true }))
    mkdirSync(join(jupyterPath, 'kernels', 'other'), { recursive: true })
    const spec = {
      argv: [jupyterProgram('python'), '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
      display_name: 'Other',
      language: 'python',
    }
    writeFileSync(join(jupyterPath, 'kernels', 'other', 'kernel.json'), JSON.stringify(spec))
    vi.stubEnv('JUPYTER_PATH', jupyterPath)
    onTestFinished(() => void vi.unstubAllEnvs())
    await using executor = directExecutor({ workDir: shadowingDirectory(), kernelName: 'other' })
    expect((await run(executor, ...cell)).output).toBe(loaded)
  })

  for (const kind of sandboxKinds) {
    test.skipIf(kind.isMissing)(`does not reach a server in ${kind.name}`, { tags: 'nightly' }, async () => {
      await using sandbox = await kind.create({ workDir: shadowingDirectory() })
      await using server = new SandboxJupyterServer({ sandbox })
      await using executor = new JupyterCodeExecutor({ server })
      expect((await run(executor, ...cell)).output).toBe(loaded)
    })
  }
})
