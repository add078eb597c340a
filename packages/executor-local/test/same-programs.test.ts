import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

const ofBlocks = [
  { language: 'python', code: 'import os, sys; print(os.path.realpath(sys.executable))' },
  { language: 'javascript', code: 'console.log(process.execPath)' },
]
const ofShell = [
  {
    language: 'sh',
    code: 'python3 -c "import os, sys; print(os.path.realpath(sys.executable))"; node -p process.execPath',
  },
]

describe.skipIf(python.missing)('a shell', () => {
  it('has the Python and the Node of the other languages, whatever is first on the PATH', () =>
    expectSame('none'))

  it.skipIf(bubblewrap.missing)('has them in bubblewrap', () => expectSame('bubblewrap'))

  it('has the PATH that the caller sets', async () => {
    const PATH = `/usr/bin${delimiter}/bin`
    await using executor = new LocalCommandLineCodeExecutor({ env: { PATH } })
    expect((await executor.execute([{ language: 'sh', code: 'echo "$PATH"' }])).output).toBe(`${PATH}\n`)
  })
})

async function expectSame(isolation: 'none' | 'bubblewrap'): Promise<void> {
  const others = await mkdtemp(join(tmpdir(), 'fenced-others-'))
  onTestFinished(() => rm(others, { recursive: true }))
  const node = join(others, 'node')
  await writeFile(node, '#!/bin/sh\necho another\n')
  await chmod(node, 0o755)
  vi.stubEnv('PATH', `${others}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  await using executor = new LocalCommandLineCodeExecutor({ isolation, warm: false })
  const { blocks } = await executor.execute([...ofBlocks, ...ofShell])
  const [inPython, inNode, inShell] = blocks.map(({ stdout }) => stdout)
  expect(inShell).toBe(`${inPython}${inNode}`)
}
