// @module-tag all

import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, test } from 'vitest'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

describe.skipIf(process.platform !== 'linux' || python.missing)('checkpoints under pressure', () => {
  const run = (executor: LocalCommandLineCodeExecutor) => async (code: string) => {
    const { blocks } = await executor.execute([{ language: 'python', code }])
    return blocks[0] as BlockResult
  }

  test('a killed checkpoint is named, and the session continues', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const cell = run(executor)
    await cell('x = 1')
    await executor.session?.checkpoint('one')
    await cell('import os, signal, time\nx = 2')
    // The siblings of the running copy, except the newest one.
    const killed = await cell(`
keeper = os.getppid()
children = [int(pid) for pid in open(f'/proc/{keeper}/task/{keeper}/children').read().split()]
killed = [pid for pid in children if pid != os.getpid()]
for pid in killed: os.kill(pid, signal.SIGKILL)
def is_alive(pid):
    try: return open(f'/proc/{pid}/stat').read().rsplit(') ')[-1][0] not in 'ZX'
    except OSError: return False
while any(map(is_alive, killed)): time.sleep(0.01)
print(len(children) > 2)`)
    expect(killed.stdout).toBe('True\n')
    expect((await cell('print(x)')).stdout).toBe('2\n')
    await expect(executor.session?.restore('one')).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
    const { notices } = await cell('print(x)')
    expect([...notices.map(({ code }) => code)]).toEqual([])
    // Blocks after the kill have checkpoints again.
    expect((await executor.session?.undo())?.notices.map(({ code }) => code)).toEqual(['state-restored'])
  })

  test.skipIf(bubblewrap.missing || resourceLimits.missing)(
    'no process can be made: the block has no checkpoint, and says so',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({
        stateful: true,
        isolation: 'bubblewrap',
        pids: 24,
      })
      const cell = run(executor)
      await cell('x = 1')
      await cell(
        'import subprocess\nprocesses = []\ntry:\n    while True: processes.append(subprocess.Popen(["sleep", "600"]))\nexcept OSError: pass',
      )
      const next = await cell('print(x)')
      expect(next.stdout).toBe('1\n')
      expect(next.notices.map(({ code }) => code)).toContain('checkpoint-dropped')
      await expect(executor.session?.undo()).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
      expect((await executor.session?.undo(2))?.notices.map(({ code }) => code)).toEqual(['state-restored'])
    },
  )

  test('the budget for memory holds over blocks that rewrite it', {
    tags: ['nightly'],
    timeout: 600_000,
  }, async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true, checkpointBytes: 64 * 2 ** 20 })
    const cell = run(executor)
    await cell('data = bytearray(100 * 2**20)')
    for (let count = 0; count < 200; count++) {
      await cell(
        `data[${count} * 2**19 % (90 * 2**20):][:0]\nfor at in range(0, 10 * 2**20, 4096): data[at] = ${count % 256}`,
      )
    }
    const measured = await cell(`
import os
keeper = os.getppid()
pids = open(f'/proc/{keeper}/task/{keeper}/children').read().split()
sizes = [dict((line.split()[0], int(line.split()[1])) for line in open(f'/proc/{pid}/smaps_rollup').readlines()[1:]) for pid in pids]
own = [size for pid, size in zip(pids, sizes) if int(pid) == os.getpid()][0]
print(sum(size['Pss:'] for size in sizes) - own['Rss:'])`)
    // Some blocks may run before the keeper has measured.
    expect(Number(measured.stdout)).toBeLessThan(2 * 64 * 1024)
  })
})
