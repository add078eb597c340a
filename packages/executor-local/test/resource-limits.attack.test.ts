import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { FencedError, Notice } from '@fenced/core'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import { ownMounts, python, resourceLimits } from './requirements.ts'

const mebibyte = 1_048_576

async function run(code: string, options: LocalExecutorOptions = {}) {
  await using executor = new LocalCommandLineCodeExecutor({
    isolation: 'bubblewrap',
    timeoutMs: 120_000,
    ...options,
  })
  return await executor.execute([{ language: 'python', code }])
}

const starts: readonly (readonly [string, { readonly warm?: object }])[] = [
  ['started', {}],
  ['forked', { warm: {} }],
]

/** A scope of systemd ends with its last process, and its count with it. */
const isSystemdInCharge = existsSync('/run/systemd/system')

describe.skipIf(resourceLimits.missing || python.missing).each(starts)(
  'a program in a sandbox with limits, %s,',
  (_, start) => {
    it.each([
      ['itself', 'x = bytearray(300_000_000)'],
      ['in a file of its /tmp', 'open("/tmp/big", "wb").write(bytes(1_000) * 300_000)'],
      [
        'in a process that it starts',
        'import subprocess, sys; sys.exit(128 - subprocess.run([sys.executable, "-c", "bytearray(300_000_000)"]).returncode)',
      ],
    ])('is out of memory when it takes too much %s', async (_, code) => {
      const result = await run(code, { ...start, memoryBytes: 100 * mebibyte })
      expect(result).toMatchObject({ status: 'out-of-memory', exitCode: 137 })
      const notices = [{ code: 'out-of-memory', data: { limit: 'memoryBytes' } }]
      expect(result.blocks[0]).toMatchObject({ notices })
    })

    it.skipIf(isSystemdInCharge && start.warm === undefined)(
      'says that a process of it was out of memory where it goes on without that process',
      async () => {
        const code =
          'import subprocess, sys; subprocess.run([sys.executable, "-c", "bytearray(300_000_000)"])'
        const result = await run(code, { ...start, memoryBytes: 100 * mebibyte })
        const data = { limit: 'memoryBytes', limitBytes: `${100 * mebibyte}` }
        const notices = [{ code: 'process-out-of-memory', data }]
        expect(result).toMatchObject({ status: 'ok', blocks: [{ notices }] })
      },
    )

    it('has the memory that it was given, and is not out of it when something else kills it', async () => {
      const options = { ...start, memoryBytes: 400 * mebibyte }
      expect(await run('print(len(bytearray(200_000_000)))', options)).toMatchObject({ status: 'ok' })
      for (const target of ['os.getpid()', '0']) {
        const killed = await run(`import os; os.kill(${target}, 9)`, options)
        expect(killed).toMatchObject({ status: 'error', exitCode: 137 })
      }
    })

    it('is refused a process too many, and the next one has them all again', async () => {
      const code = `
import os, time
made = 0
try:
    while made < 200:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        made += 1
except BlockingIOError: pass
print(made)`
      await using executor = new LocalCommandLineCodeExecutor({ ...start, isolation: 'bubblewrap', pids: 40 })
      for (let round = 0; round < 2; round++) {
        const made = Number((await executor.execute([{ language: 'python', code }])).output)
        expect(made).toBeGreaterThan(25)
        expect(made).toBeLessThan(40)
      }
    })

    it('is bounded also where nobody asked for it, but for what was given away', async () => {
      const fork =
        'import os, time\nfor i in range(300):\n    if os.fork() == 0: time.sleep(60); os._exit(0)\nprint("all")'
      const bounded = await run(fork, start)
      expect(bounded.output).toContain('BlockingIOError')
      expect(bounded.isolation.particulars).toEqual({ memoryBytes: 2_147_483_648, pids: 256 })
      const open = await run(fork, { ...start, pids: false })
      expect(open.output).toBe('all\n')
      expect(open.isolation.particulars).toEqual({ memoryBytes: 2_147_483_648, pids: false })
    })

    it('has the processor time that it was given, with all processes that it starts', async () => {
      const code = `
import os, time
first = os.getpid()
end = time.monotonic() + 1
for i in range(3): os.fork()
while time.monotonic() < end: pass
try:
    while True: os.wait()
except ChildProcessError: pass
# Only one process prints: lines of two can mix.
if os.getpid() == first: print(sum(os.times()[:4]))`
      const { output, isolation } = await run(code, { ...start, cpus: 0.25 })
      // The time of the first process and of all its descendants. Without a limit it is at least a second.
      expect(Number(output)).toBeLessThan(0.7)
      expect(isolation.particulars).toMatchObject({ cpus: 0.25 })
    })

    it('says what it promises: only what was asked for', () => {
      const { capabilities } = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', pids: 100 })
      expect(capabilities.limits).toEqual({ memory: false, processes: true, cpu: false })
      expect(capabilities.isolationParticulars).toEqual({ pids: 100 })
    })
  },
)

describe('limits that cannot be had', () => {
  const program = new URL('programs/without-control-groups.ts', import.meta.url).pathname

  async function start(
    options: LocalExecutorOptions,
  ): Promise<{ notices: Notice[]; error?: Pick<FencedError, 'code' | 'data'> }> {
    const command = 'umount --all --types cgroup,cgroup2; exec "$@"'
    const node = [process.execPath, '--conditions=@fenced/source', program, JSON.stringify(options)]
    const { stdout } = await promisify(execFile)('unshare', ['--mount', 'sh', '-c', command, 'sh', ...node])
    return JSON.parse(stdout)
  }

  it.skipIf(ownMounts.missing)('are a notice of the start where nobody asked for them', async () => {
    const data = { option: 'memoryBytes, pids', reason: expect.any(String) }
    // A limit that does not hold is not named in the result.
    const bare = { notices: [{ code: 'limits-unavailable', data }], ran: 'ok', particulars: {} }
    expect(await start({})).toEqual({ ...bare, notices: [expect.objectContaining(bare.notices[0])] })
    const given = { memoryBytes: false, pids: false } as const
    expect(await start(given)).toEqual({ notices: [], ran: 'ok', particulars: given })
  })

  it.skipIf(ownMounts.missing).each([{ memoryBytes: 100 * mebibyte }, { pids: 50 }, { cpus: 1 }])(
    'are an error where %j was asked for, and nothing is run',
    async (options) => {
      const data = { option: Object.keys(options).join(), reason: expect.any(String) }
      expect(await start(options)).toEqual({ notices: [], error: { code: 'LIMITS_UNAVAILABLE', data } })
    },
  )

  it('are a wrong option without isolation', () => {
    for (const options of [{ memoryBytes: 100 * mebibyte }, { pids: 50 }, { cpus: 1 }]) {
      const data = { option: Object.keys(options).join() }
      expect(() => new LocalCommandLineCodeExecutor(options)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS', data }),
      )
    }
  })
})
