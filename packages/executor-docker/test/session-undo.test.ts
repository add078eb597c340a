import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectUndone } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker } from './requirements.ts'

const options = { image: 'fenced-test/python', stateful: true } as const

describe.skipIf(docker.missing)('undo in a container', () => {
  it.each(['bind', 'copy'] as const)('restores files of this machine, too (%s)', async (workDirMode) => {
    await using executor = new DockerCommandLineCodeExecutor({ ...options, workDirMode })
    const cell = (code: string) => executor.execute([{ language: 'python', code }])
    const path = (name: string) => join(executor.workDir, name)
    await cell('open("a.txt", "w").write("one"); open("removed", "w").close(); x = 1')
    writeFileSync(path('given'), 'given')
    await cell(
      'import os; open("a.txt", "w").write("two"); open("b.txt", "w").close(); os.remove("removed"); x = 2',
    )
    const restored = await executor.session?.undo()
    expect(restored?.notices.map(({ code }) => code)).toEqual(['state-restored'])
    expect(readdirSync(executor.workDir).sort()).toEqual(['a.txt', 'given', 'removed'])
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('one')
    const { output } = await cell(
      'print(x, open("a.txt").read(), sorted(os.listdir()) if "os" in globals() else "")',
    )
    expect(output).toBe('1 one \n')
  })

  it('restores a session after generated programs', async () => {
    await using executor = new DockerCommandLineCodeExecutor(options)
    await expectUndone(expect, executor, { python: 'python3', first: 0, count: 4 })
  })

  it('restores a session 500 times', { tags: ['nightly'], timeout: 1_800_000 }, async () => {
    await using executor = new DockerCommandLineCodeExecutor(options)
    await expectUndone(expect, executor, { python: 'python3', first: 3_000, count: 500 })
  })
})
