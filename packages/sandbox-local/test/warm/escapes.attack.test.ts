import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@fenced/host'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, type TestContext } from 'vitest'
import { LocalExecutor } from '../local-executor.ts'
import { python } from '../requirements.ts'

const systemPython = '/usr/bin/python3'

/** A program by which `nobody` becomes root. */
async function becomeRoot(folder: string, skip: TestContext['skip']): Promise<string> {
  const setpriv = findProgram('setpriv')
  if (process.getuid?.() !== 0 || setpriv === undefined || !existsSync(systemPython))
    return skip('it needs root, setpriv and the Python of the system')
  const become = join(folder, 'become')
  await copyFile(setpriv, become)
  await chmod(folder, 0o755)
  await chmod(become, 0o4755)
  const words = ['--reuid=65534', '--clear-groups', become, '--reuid=0', 'id', '-u']
  const { stdout } = spawnSync(setpriv, words, { encoding: 'utf8' })
  skip(stdout !== '0\n', 'the temporary directory allows no set-user-ID programs')
  return become
}

/** Starts a process that leaves its session and has no environment. */
const flee = (command: string) =>
  `import os, subprocess, sys, time
none = subprocess.DEVNULL
child = subprocess.Popen(${command}, start_new_session=True, env={}, stdin=none, stdout=none, stderr=none)`

const orphan = 'import os, time; os.fork() and os._exit(0); os.setsid(); time.sleep(600)'
// It ends in the end also where the test fails.
const loop = `import os, time
end = time.monotonic() + 30
while time.monotonic() < end:
    if os.fork(): os._exit(0)`

/** Programs, and how they end. The text `SECONDS` is in the command line of what they leave. */
const escapes = [
  [
    'a program of Python that is an orphan in a session of its own without an environment',
    'python',
    `${flee(`[sys.executable, '-c', ${JSON.stringify(orphan)}, 'SECONDS']`)}\nchild.wait()`,
    'ok',
  ],
  [
    'a program of a shell that is an orphan in a session of its own without an environment',
    'sh',
    "setsid env -i /bin/sh -c 'setsid sleep SECONDS > /dev/null 2>&1 & exit'",
    'ok',
  ],
  [
    'a program that forks and ends in a loop',
    'python',
    `${flee(`[sys.executable, '-c', ${JSON.stringify(loop)}, 'SECONDS']`)}\nchild.wait()`,
    'ok',
  ],
  [
    'a program that then kills the resident Python',
    'python',
    `${flee("['sleep', 'SECONDS']")}\nos.kill(os.getppid(), 9)\ntime.sleep(600)`,
    'died',
  ],
] as const

describe.skipIf(python.missing || process.platform !== 'linux')('a resident Python without isolation', () => {
  it.each(escapes)('ends %s', async (_, language, code, status) => {
    await using executor = new LocalExecutor({ warm: {}, timeoutMs: 60_000 })
    // The first block of another language would not wait for the resident Python.
    await executor.execute([{ language: 'python', code: '' }])
    const seconds = `${uniqueSeconds()}`
    const result = await executor.execute([{ language, code: code.replace('SECONDS', seconds) }])
    expect(result.status).toBe(status)
    expect(result.blocks[0]?.notices.filter((notice) => notice.code === 'left-behind')).toEqual([])
    expect(await processesLeft(seconds)).toEqual([])
  })

  it('reports a process of another user that a block left, and no later block or executor waits for it', async ({
    skip,
  }) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fenced-become-'))
    const become = await becomeRoot(folder.path, skip)
    const program = join(import.meta.dirname, '../programs/host-of-root-child.ts')
    const command = ['--conditions=@fenced/source', program, become, `${uniqueSeconds()}`]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    const rounds = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const [{ output }] of rounds) process.kill(Number(output), 'SIGKILL')
    const left = { status: 'ok', output: expect.stringMatching(/^\d+$/), notices: ['left-behind'] }
    // Where a later block waited, it would report it, too. The shared Python is the same one.
    const next = { status: 'ok', output: rounds[0][1].output, notices: [] }
    expect(rounds).toEqual([
      [left, next],
      [left, next],
    ])
  })
})
