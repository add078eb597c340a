// @module-tag all

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@fenced/core'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { bubblewrap, python, resourceLimits } from '../requirements.ts'

const showParent = 'import os; print(os.getppid())'

const rows = rowTags({ nightly: ['leaves in an attribute'] })

describe.skipIf(bubblewrap.missing || python.missing)('warm in bubblewrap', () => {
  it('runs Python blocks as forks of one Python, and says nothing about it', async () => {
    await using executor = warm({ warm: { preload: ['colorsys'] } })
    const show = 'import os, sys; print(os.getppid(), os.getpid() > 1, "colorsys" in sys.modules)'
    for (let round = 0; round < 3; round++) {
      const { blocks } = await run(executor, show)
      expect(blocks).toMatchObject([{ status: 'ok', stdout: '1 True True\n', notices: [] }])
    }
  })

  it('tells a program the directory that it starts in', async () => {
    await using executor = warm()
    const { output } = await run(
      executor,
      'import os; print(os.environ["PWD"], os.getcwd(), os.getenv("OLDPWD"))',
    )
    expect(output).toBe(`${executor.workDir} ${executor.workDir} None\n`)
  })

  it.each([
    ['/tmp', 'open("/tmp/left", "w")', 'os.listdir("/tmp")'],
    ['a directory of /tmp', 'os.makedirs("/tmp/a/b")', 'os.path.exists("/tmp/a")'],
    [
      'the home directory',
      'open(os.path.expanduser("~/left"), "w")',
      'os.path.exists(os.path.expanduser("~/left"))',
    ],
    ['/dev/shm', 'open("/dev/shm/left", "w")', 'os.listdir("/dev/shm")'],
    // Where its file system has none, nothing can be left.
    ...['/tmp', '/dev/shm', '/run'].map((path): [string, string, string] => [
      `an attribute of ${path}`,
      `import contextlib\nwith contextlib.suppress(OSError): os.setxattr("${path}", "user.left", b"left")`,
      `os.listxattr("${path}")`,
    ]),
    // Only root can write these, and only on x86-64 the numbers are those of the calls for the priority.
    ...['oom_score_adj', 'coredump_filter'].map((name): [string, string, string] => [
      `${name} of its parent`,
      `import contextlib\nwith contextlib.suppress(OSError): open("/proc/%d/${name}" % os.getppid(), "w").write("500")`,
      `open("/proc/self/${name}").read()`,
    ]),
    [
      'the I/O priority of its parent',
      'import ctypes; ctypes.CDLL(None).syscall(251, 1, os.getppid(), 3 << 13)',
      '__import__("ctypes").CDLL(None).syscall(252, 1, 0)',
    ],
    ['the rights of /tmp', 'os.system("chmod 500 /tmp 2> /dev/null")', 'oct(os.stat("/tmp").st_mode)'],
    [
      'shared memory',
      'import ctypes; print(ctypes.CDLL(None).shmget(7, 4096, 0o1600) >= 0)',
      'open("/proc/sysvipc/shm").read()',
    ],
    [
      'a message queue',
      'import ctypes; print(ctypes.CDLL(None).mq_open(b"/left", os.O_CREAT | os.O_RDWR, 0o600, None) >= 0)',
      '__import__("ctypes").CDLL(None).mq_open(b"/left", os.O_RDWR) >= 0',
    ],
  ])('does not show the next block what one leaves in %s', rows, async (_, leave, show) => {
    await using executor = warm()
    const look = `import os; print(${show})`
    const before = await run(executor, look)
    expect((await run(executor, `import os; ${leave}`)).status).toBe('ok')
    expect(await run(executor, look)).toMatchObject({ status: 'ok', output: before.output })
  })

  it('keeps its Python where a block leaves nothing of its own', async () => {
    await using executor = warm()
    const use =
      'import tempfile; file = tempfile.NamedTemporaryFile(); file.write(b"x"); open("kept", "w"); import os; print(os.getpid())'
    const [first, second] = [await run(executor, use), await run(executor, use)]
    // In a new process table, the first program comes after the comparison of the mounts.
    expect(Number(first.output)).toBe(3)
    expect(Number(second.output)).toBeGreaterThan(3)
  })

  it('sees a working directory that was removed and made again', async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-made-again-'))
    await using executor = warm({ workDir })
    expect((await run(executor, 'open("first", "w")')).status).toBe('ok')
    await rm(workDir, { recursive: true })
    await mkdir(workDir)
    const result = await run(executor, 'import os; open("second", "w"); print(sorted(os.listdir()))')
    expect(result).toMatchObject({ status: 'ok', files: [{ path: 'second' }] })
    expect(result.output).not.toContain('first')
    await rm(workDir, { recursive: true })
    expect(await run(executor, 'print(7)')).toMatchObject({ status: 'ok', output: '7\n' })
    await rm(workDir, { recursive: true })
  })

  it.each(['SIGSTOP', 'SIGKILL', 'SIGTERM'])(
    'a time limit ends a block that sends its parent %s, and the next one has the same parent',
    rowTags({ nightly: ['SIGSTOP', 'SIGTERM'] }),
    async (name) => {
      await using executor = warm()
      const code = `import os, signal, time; os.kill(os.getppid(), signal.${name}); time.sleep(600)`
      const result = await executor.execute([{ language: 'python', code }], { timeoutMs: 500 })
      expect(result).toMatchObject({ status: 'timeout', blocks: [{ notices: [{ code: 'timeout' }] }] })
      expect(Number((await run(executor, 'import os; print(os.getpid())')).output)).toBeGreaterThan(2)
    },
  )

  it('a block that ends its parent died with all that it started, and the next one has a new parent', async () => {
    await using executor = warm()
    const seconds = uniqueSeconds()
    const daemon = `subprocess.Popen(['env', '-i', 'sleep', '${seconds}'], start_new_session=True)`
    const result = await run(
      executor,
      `import os, subprocess, time\n${daemon}\ntime.sleep(0.5)\nos.kill(os.getppid(), 2)\ntime.sleep(60)`,
    )
    expect(result).toMatchObject({ status: 'died', exitCode: 255, blocks: [{ notices: [{ code: 'died' }] }] })
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await run(executor, showParent)).toMatchObject({ status: 'ok', output: '1\n' })
  })

  it('ends what a block leaves that left its session and cleared its environment', async () => {
    await using executor = warm()
    const seconds = uniqueSeconds()
    const code = `import subprocess; subprocess.Popen(['env', '-i', 'sleep', '${seconds}'], start_new_session=True)`
    expect((await run(executor, code)).status).toBe('ok')
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.skipIf(resourceLimits.missing)('has all of its memory again after a block that used it up', async () => {
    await using executor = warm({ memoryBytes: 100 * 2 ** 20 })
    const outOfMemory = {
      status: 'out-of-memory',
      exitCode: 137,
      blocks: [{ notices: [{ code: 'out-of-memory' }] }],
    }
    for (const code of ['bytearray(300_000_000)', 'open("/tmp/big", "wb").write(bytes(1_000) * 300_000)']) {
      expect(await run(executor, code)).toMatchObject(outOfMemory)
      expect(await run(executor, 'print(len(bytearray(60_000_000)))')).toMatchObject({ status: 'ok' })
      for (const target of ['os.getpid()', '0', '-1']) {
        const killed = await run(executor, `import os; os.kill(${target}, 9)`)
        expect(killed.status).not.toBe('out-of-memory')
      }
    }
  })

  it.skipIf(resourceLimits.missing)(
    'leaves no memory in use that a block of another language needs',
    async () => {
      await using executor = warm({ memoryBytes: 100 * 2 ** 20 })
      expect((await run(executor, 'open("/tmp/big", "wb").write(bytes(70_000_000))')).status).toBe('ok')
      const code = 'head -c 50000000 /dev/zero | tail -c 50000000 | wc -c'
      // The resident Python needs a moment to see it and to end.
      await vi.waitFor(
        async () => {
          const { output } = await executor.execute([{ language: 'sh', code }])
          expect(output).toBe('50000000\n')
        },
        { timeout: 120_000 },
      )
    },
  )

  it.skipIf(resourceLimits.missing).each([
    [
      'a process of it',
      'python',
      'import subprocess, sys; subprocess.run([sys.executable, "-c", "bytearray(300_000_000)"])',
    ],
    ['a shell', 'sh', 'head -c 300000000 /dev/zero | tail -c 300000000 | wc -c; exit 0'],
  ])(
    'a block that ends its parent died, also when %s was out of memory before',
    rowTags({ nightly: ['a shell'] }),
    async (_, language, code) => {
      await using executor = warm({ memoryBytes: 100 * 2 ** 20 })
      await run(executor, 'print(1)')
      expect(await executor.execute([{ language, code }])).toMatchObject({ status: 'ok' })
      const killed = await run(executor, 'import os, time; os.kill(os.getppid(), 2); time.sleep(60)')
      expect(killed).toMatchObject({ status: 'died', exitCode: 255 })
    },
  )
})

function warm(options: LocalExecutorOptions = {}): LocalExecutor {
  return new LocalExecutor({ warm: {}, ...options, isolation: 'bubblewrap' })
}

async function run(executor: LocalExecutor, code: string): Promise<CodeResult> {
  return await executor.execute([{ language: 'python', code }])
}
