import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bubblewrap, isolatedExecutor, resourceLimits } from './bubblewrap.ts'
import { failure } from './faults/failure.ts'
import { startProgram } from './faults/host-program.ts'
import { jupyter, run } from './support.ts'

describe.skipIf(jupyter.missing || bubblewrap.missing)(
  'a kernel of our own in bubblewrap',
  { timeout: 180_000 },
  () => {
    let executor: JupyterCodeExecutor
    beforeAll(async () => {
      executor = isolatedExecutor()
      await executor.start()
    })
    afterAll(() => executor.stop())

    test('runs cells in the directory of its files, and says in every result what stands around it', async () => {
      const result = await run(
        executor,
        'import os',
        "open('made.txt', 'w').write('x')",
        'print(os.getcwd())',
      )
      expect(result).toMatchObject({
        status: 'ok',
        output: `${executor.workDir}\n`,
        files: [{ path: 'made.txt' }],
        isolation: { kind: 'bubblewrap', network: 'none', particulars: { memoryBytes: false, pids: false } },
      })
      const picture = await run(executor, 'import matplotlib.pyplot as plt', 'plt.plot([1, 2])', 'plt.show()')
      expect(picture.files).toMatchObject([{ path: expect.stringMatching(/\.png$/) }])
    })

    test('reaches no network, no process and no file of this machine', async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'fenced-test-')), 'secret')
      writeFileSync(file, 'x')
      onTestFinished(() => rmSync(join(file, '..'), { recursive: true }))
      const { output } = await run(
        executor,
        'import os, socket',
        "print(sorted(os.listdir('/sys/class/net')) if os.path.exists('/sys') else [name for _, name in socket.if_nameindex()])",
        "print(max(int(name) for name in os.listdir('/proc') if name.isdigit()) < 100)",
        `print([os.path.exists(path) for path in ${JSON.stringify([file, import.meta.filename])}])`,
      )
      expect(output).toBe("['lo']\nTrue\n[False, False]\n")
    })

    test('finds no key of its connection in a file, and has no other directory on this machine to write to', async () => {
      const { output } = await run(
        executor,
        'import os',
        'mounts = [line.split()[4] for line in open("/proc/self/mountinfo") if line.split()[5].startswith("rw")]',
        // Its home directory is in memory.
        "own = [os.getcwd(), os.path.expanduser('~')]",
        `folders = [path for path in mounts if path.startswith(${JSON.stringify(`${tmpdir()}/`)}) and path not in own]`,
        'for folder in folders:',
        '    print(os.listdir(folder))',
        '    try: open(folder + "/more", "w")',
        '    except OSError as error: print(error.strerror)',
      )
      expect(output).toBe('[]\nNo such file or directory\n')
    })

    test('that dies is `died`, and after restart() there is a new one', async () => {
      await run(executor, 'kept = 1')
      const result = await run(executor, 'import os', "print('early', flush=True)", 'os.kill(os.getpid(), 9)')
      expect(result).toMatchObject({ status: 'died', exitCode: 255 })
      expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
      await executor.restart()
      expect((await run(executor, "print('kept' in globals())")).output).toBe('False\n')
    })

    test('takes all that a cell started along when the cell is stopped', async () => {
      const seconds = uniqueSeconds()
      const code = [
        'import subprocess',
        `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True)`,
        `subprocess.run(['sleep', '${seconds}'])`,
      ]
      const block = { language: 'python', code: code.join('\n') }
      expect((await executor.execute([block], { timeoutMs: 1_000 })).status).toBe('timeout')
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      expect((await run(executor, 'print(1)')).output).toBe('1\n')
    })

    test('cannot lead a connection to another socket of this machine', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      const other = join(folder, 'socket')
      let connectionCount = 0
      const server = createServer(() => connectionCount++).listen(other)
      await once(server, 'listening')
      onTestFinished(() => {
        server.close()
        rmSync(folder, { recursive: true })
      })
      const workDir = join(folder, 'work')
      // What an earlier program left there becomes the kernel.
      await using hostile = isolatedExecutor({ workDir, env: { PYTHONPATH: workDir } })
      await using first = isolatedExecutor({ workDir })
      await run(first, `open('ipykernel_launcher.py', 'w').write(${JSON.stringify(linksForSockets(other))})`)
      expect(existsSync(join(workDir, 'ipykernel_launcher.py'))).toBe(true)
      await first.stop()
      const error = await failure(hostile.start())
      expect(error).toMatchObject({ code: 'KERNEL_START_FAILED', data: { path: expect.any(String) } })
      expect(connectionCount).toBe(0)
    })

    test('ends with all that it started when this process is killed, also what cleared its environment', async () => {
      const seconds = uniqueSeconds()
      const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const { child } = startProgram('run-and-wait.ts', 'bubblewrap', { folder, more: [`${seconds}`] })
      await once(child.stdout ?? child, 'data')
      child.kill('SIGKILL')
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      // What the host made goes with the next host's start.
      const next = startProgram('use-and-end.ts', 'bubblewrap', { folder })
      expect(await next.exited).toEqual([0, null])
      await expect.poll(() => temporaryEntries(folder), { timeout: 20_000 }).toEqual([])
    })
  },
)

describe.skipIf(jupyter.missing || resourceLimits.missing)('the memory limit of a kernel', () => {
  const memoryBytes = 400 * 2 ** 20
  const child = 'import os, subprocess, sys; subprocess.run([sys.executable, "-c", "bytearray(900_000_000)"])'

  test('is the reason of a death only if a process was killed for it in the same cell', async () => {
    await using executor = isolatedExecutor({ memoryBytes })
    expect(await run(executor, child)).toMatchObject({ status: 'ok' })
    const killed = await run(executor, 'os.kill(os.getpid(), 9)')
    expect(killed).toMatchObject({ status: 'died', blocks: [{ notices: [{ code: 'died' }] }] })
    expect(killed.blocks[0]?.notices[0]?.data).toEqual({ exitCode: '137' })
    await executor.restart()
    // A scope of systemd ends with its last process: the second kill would not be known.
    if (!existsSync('/run/systemd/system')) await run(executor, child)
    const greedy = await run(executor, 'bytearray(900_000_000)')
    expect(greedy.blocks[0]?.notices).toMatchObject([{ code: 'died', data: { option: 'memoryBytes' } }])
  })
})

/** A module that does not become a kernel. */
function linksForSockets(target: string): string {
  return [
    'import json, os, sys, time',
    'ip = json.load(open(sys.argv[2]))["ip"]',
    'for number in range(1, 6):',
    `    os.symlink(${JSON.stringify(target)}, f"{ip}-{number}")`,
    'time.sleep(60)',
  ].join('\n')
}
