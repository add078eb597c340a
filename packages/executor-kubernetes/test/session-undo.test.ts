import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectUndone } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

describe.skipIf(kubernetes.missing)('undo in a pod', () => {
  afterAll(() => namespace?.remove())

  it('restores files of this machine, too', async () => {
    await using executor = executorIn(namespace?.name, { stateful: true })
    const cell = (code: string) => executor.execute([{ language: 'python', code }])
    await cell('open("a.txt", "w").write("one"); x = 1')
    await cell('open("a.txt", "w").write("two"); open("b.txt", "w").close(); x = 2')
    const restored = await executor.session?.undo()
    expect(restored?.notices.map(({ code }) => code)).toEqual(['state-restored'])
    expect(readdirSync(executor.workDir ?? '')).toEqual(['a.txt'])
    expect(readFileSync(join(executor.workDir ?? '', 'a.txt'), 'utf8')).toBe('one')
    expect((await cell('print(x, open("a.txt").read())')).output).toBe('1 one\n')
  })

  it('restores a session 100 times', { tags: ['nightly'], timeout: 1_800_000 }, async () => {
    await using executor = executorIn(namespace?.name, { stateful: true })
    await expectUndone(expect, executor, { python: 'python3', first: 4_000, count: 100 })
  })
})
