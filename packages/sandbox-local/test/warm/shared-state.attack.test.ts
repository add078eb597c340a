import { randomUUID } from 'node:crypto'
import type { CodeResult } from '@fenced/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { bubblewrap, python } from '../requirements.ts'

const isLinux = process.platform === 'linux'

/** Leaves flags and a lock on the null device that is the block's stdin. */
const changeStdin = `import fcntl, os
os.set_blocking(0, False)
fcntl.flock(0, fcntl.LOCK_EX)
print(os.readlink('/proc/self/fd/0'))`

const lookAtStdin = `import fcntl, os
print(os.get_blocking(0), fcntl.fcntl(0, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY)
fcntl.flock(0, fcntl.LOCK_EX | fcntl.LOCK_NB)`

const ancestors = (each: string) => `import os
def parent(of): return int(open(f'/proc/{of}/stat').read().rpartition(')')[2].split()[1])
for pid in (os.getppid(), parent(os.getppid())): ${each}`

const see = (name: string) => `print(open('/proc/self/${name}').read().strip())`
const change = (name: string, value: string) =>
  ancestors(`open(f'/proc/{pid}/${name}', 'w').write('${value}')`)

const systemCall = `import ctypes, os, platform
def call(numbers, *arguments): return ctypes.CDLL(None).syscall(numbers[platform.machine()], *arguments)`

describe.skipIf(python.missing || !isLinux)('a block whose interpreter others share', () => {
  it('leaves no flag and no lock on the stdin of others', async () => {
    const options = inOwnEnvironment()
    const [first, second] = [executor(options), executor(options)]
    expect((await run(first, changeStdin)).output).toBe('/dev/null\n')
    for (const each of [first, second]) {
      expect(await run(each, lookAtStdin)).toMatchObject({ status: 'ok', output: 'True True\n' })
    }
  })

  it.skipIf(bubblewrap.missing)('leaves none for the next block in bubblewrap either', async () => {
    const isolated = executor({ isolation: 'bubblewrap', warm: {} })
    await run(isolated, changeStdin)
    expect(await run(isolated, lookAtStdin)).toMatchObject({ status: 'ok', output: 'True True\n' })
  })

  it('has a multiprocessing key that no other block has', async () => {
    const options = { ...inOwnEnvironment(), warm: { preload: ['multiprocessing'] } }
    const code = 'import multiprocessing as m; print(bytes(m.current_process().authkey).hex())'
    const place = executor(options)
    const keys = [await run(place, code), await run(place, code), await run(executor(options), code)]
    expect(new Set(keys.map(({ output }) => output)).size).toBe(3)
    expect(keys[0]?.output).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('shares no random numbers of preloaded modules, except those with a seed', async () => {
    const place = executor({ ...inOwnEnvironment(), warm: { preload: ['own_random'] } })
    const code = `import own_random as o, random
print(o.own.random()); print(o.other.random()); print(o.seeded.random(), o.restored.random())
print(random.Random.seed.__module__, random.__loader__ is random.__spec__.loader, type(random.__loader__).__name__)`
    const [first = [], second = []] = [await run(place, code), await run(place, code)].map(({ output }) =>
      output.split('\n'),
    )
    expect(first[0]).not.toBe(second[0])
    expect(first[1]).not.toBe(second[1])
    expect(first.slice(2)).toEqual(second.slice(2))
    expect(first[3]).toBe('random True SourceFileLoader')
  })

  it.skipIf(process.getuid?.() !== 0).each([
    ['timer slack', see('timerslack_ns'), change('timerslack_ns', '50000000')],
    ['preference of the out-of-memory killer', see('oom_score_adj'), change('oom_score_adj', '500')],
    ['core dump filter', see('coredump_filter'), change('coredump_filter', '0x7f')],
    [
      'I/O priority',
      `${systemCall}\nprint(call({'x86_64': 252, 'aarch64': 31}, 1, os.getpid()))`,
      `${systemCall}\n${ancestors("print(call({'x86_64': 251, 'aarch64': 30}, 1, pid, 3 << 13))")}`,
    ],
  ])('leaves no %s for later blocks and executors', async (_what, look, leave) => {
    const options = inOwnEnvironment()
    const first = executor(options)
    const { output } = await run(first, look)
    expect(await run(first, leave)).toMatchObject({ status: 'ok' })
    expect((await run(first, look)).output).toBe(output)
    expect((await run(executor(options), look)).output).toBe(output)
  })
})

/** Shares nothing with the executors of another test. */
function inOwnEnvironment(): LocalExecutorOptions {
  const modules = new URL('modules', import.meta.url).pathname
  return { warm: {}, env: { FENCED_TEST: randomUUID(), PYTHONPATH: modules } }
}

function executor(options: LocalExecutorOptions): LocalExecutor {
  const made = new LocalExecutor(options)
  onTestFinished(() => made.stop())
  return made
}

async function run(executor: LocalExecutor, code: string): Promise<CodeResult> {
  return await executor.execute([{ language: 'python', code }])
}
