import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

const blocks = [
  {
    language: 'python',
    code: 'import os, subprocess; print(*os.listdir(), subprocess.getoutput("ls -A; find . -type f"))',
  },
  { language: 'sh', code: 'ls -A; find . -type f; tar cf - . | tar tf - | grep fenced; missing-command' },
]

describe.skipIf(docker.missing)('an unnamed program in a container', { timeout: 120_000 }, () => {
  it.each(['bind', 'copy'] as const)('sees no file of its own in a warm block: %s', async (workDirMode) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-unlisted-'))
    await using executor = new DockerCommandLineCodeExecutor({
      ...{ image: 'fenced-test/python', workDir: directory.path, workDirMode, warm: {}, timeoutMs: 60_000 },
    })
    await executor.execute([{ language: 'python', code: '' }])
    const [python, sh] = (await executor.execute(blocks)).blocks
    expect(python).toMatchObject({ status: 'ok', notices: [] })
    expect(python?.stdout.trim()).toBe('')
    expect(sh).toMatchObject({ status: 'error', exitCode: 127, stdout: '' })
    expect(sh?.stderr).toMatch(/^\/workspace\/\.fenced-\w+\.sh: .*1: missing-command: not found\n$/)
    const { blocks: failed } = await executor.execute([{ language: 'python', code: '\n1 / 0' }])
    expect(failed[0]?.stderr).toContain('line 2, in <module>\n    1 / 0\n')
    expect(await readdir(directory.path)).toEqual([])
  })
})
