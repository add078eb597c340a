import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { enterOwnRealm, inOwnRealm, leaveOwnRealm } from '../../../testing/own-realm.ts'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { noticeCodes, printed, python, sh } from './blocks.ts'
import { containersNamed, rawEngine, removeContainer } from './raw-engine.ts'
import { docker, podman, podmanHost, runsc } from './requirements.ts'

beforeAll(enterOwnRealm)
afterAll(leaveOwnRealm)

const parent = python('import os', 'print(os.getppid())')

function uniqueName(): string {
  return `fenced-test-warm-${uniqueSeconds()}`
}

function warm(options: DockerExecutorOptions = {}): DockerCommandLineCodeExecutor {
  return new DockerCommandLineCodeExecutor({ image: 'fenced-test/python', warm: {}, ...options })
}

describe.skipIf(docker.missing)('warm', { concurrent: true }, () => {
  it('runs Python blocks in processes of their own, which have one parent, beside other languages', {
    tags: 'nightly',
  }, async () => {
    await using executor = warm()
    const first = await printed(executor, parent)
    expect(await printed(executor, sh('echo between'), parent)).toBe(`between\n${first}`)
    expect(await printed(executor, python('print("os" in globals())'))).toBe('False\n')
  })

  it('is the same user without rights as ever, in the same place', async () => {
    const show = python(
      'import os, sys',
      'status = dict(line.split(":", 1) for line in open("/proc/self/status"))',
      'print(os.getuid(), os.getcwd(), sys.path[0], status["CapEff"].strip(), status["NoNewPrivs"].strip())',
      'print({name: value for name, value in os.environ.items() if name not in ("FENCED_RUN_ID", "HOSTNAME")})',
    )
    await using executor = warm({ env: { MINE: 'é 1' }, user: '4321:4321' })
    await using cold = warm({ env: { MINE: 'é 1' }, user: '4321:4321', warm: false })
    expect(await printed(executor, show)).toBe(await printed(cold, show))
  })

  it('runs nothing but the program, whatever an earlier one put where the null device was', async () => {
    const intruder = python('import os', 'os.remove(os.devnull)', 'open(os.devnull, "w").write("print(666)")')
    await using executor = warm({ user: 'root' })
    const outputs = await printed(
      executor,
      intruder,
      python('print(1)'),
      python('print(2)'),
      python('print(3)'),
    )
    expect(outputs).toBe('1\n2\n3\n')
  })

  it('has modules imported at the start, also in a container that takes the place of another', {
    tags: 'nightly',
  }, async () => {
    const containerName = uniqueName()
    await using executor = warm({ warm: { preload: ['colorsys'] }, containerName })
    const isThere = python('import sys', 'print("colorsys" in sys.modules)')
    expect(await printed(executor, isThere)).toBe('True\n')
    await removeContainer(containerName)
    const result = await executor.execute([isThere])
    expect(result).toMatchObject({ status: 'ok', output: 'True\n' })
    expect(noticeCodes(result)).toEqual(['container-replaced'])
  })

  it('refuses at the start a module that cannot be imported, and leaves nothing', async () => {
    const containerName = uniqueName()
    await using executor = warm({ warm: { preload: ['no_such_module'] }, containerName })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: 'no_such_module' },
    })
    await executor.stop()
    expect(await containersNamed(containerName)).toEqual([])
  })

  it('a block that kills its parent died, nothing of it is left, and the next one runs', async () => {
    const seconds = uniqueSeconds()
    await using executor = warm()
    const result = await executor.execute([
      python(
        'import os, subprocess, time',
        `subprocess.Popen(["sleep", "${seconds}"], start_new_session=True, env={})`,
        'print("early", flush=True)',
        'time.sleep(0.5)',
        'os.kill(os.getppid(), 9)',
        'time.sleep(60)',
      ),
    ])
    expect(result).toMatchObject({ status: 'died', exitCode: 255, output: expect.stringMatching(/^early\n/) })
    expect(noticeCodes(result)).toEqual(['died'])
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await printed(executor, python('print(7)'))).toBe('7\n')
  })

  it('a time limit also ends a block that has stopped its parent', async () => {
    const seconds = uniqueSeconds()
    await using executor = warm({ killGraceMs: 0 })
    const result = await executor.execute(
      [python('import os, signal, time', 'os.kill(os.getppid(), signal.SIGSTOP)', `time.sleep(${seconds})`)],
      { timeoutMs: 1_000 },
    )
    expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
    expect(await printed(executor, python('print(7)'))).toBe('7\n')
  })

  it('a parent that ends between two blocks is not missed', async () => {
    const containerName = uniqueName()
    await using executor = warm({ containerName })
    const before = await printed(executor, parent)
    const user = await printed(executor, sh('id -u'))
    // Not by a block, which would be a fork of it.
    const container = (await rawEngine()).getContainer(containerName)
    const exec = await container.exec({ Cmd: ['sh', '-c', `kill -9 ${before}`], User: user.trim() })
    await exec.start({ Detach: true })
    while ((await exec.inspect()).Running) await delay(50)
    // Nothing shows when the engine has told us.
    await delay(1_000)
    expect(await printed(executor, parent)).not.toBe(before)
  })

  it('what ends one block by its memory or its processes does not touch the next', async () => {
    await using executor = warm({ memoryBytes: 128 * 2 ** 20, pids: 32 })
    const before = await printed(executor, parent)
    const greedy = await executor.execute([python('x = b"x" * 2**30')])
    expect(greedy).toMatchObject({ status: 'out-of-memory', exitCode: 137 })
    expect(noticeCodes(greedy)).toEqual(['out-of-memory'])
    const forks = await executor.execute([
      python('import os, time', 'while True:', '  if os.fork() == 0: time.sleep(60)'),
    ])
    expect(forks).toMatchObject({ status: 'error', output: expect.stringContaining('BlockingIOError') })
    // One that ends itself in the same way has not run out of anything.
    const own = await executor.execute([python('import os', 'os.kill(os.getpid(), 9)')])
    expect(own).toMatchObject({ status: 'error', exitCode: 137 })
    expect(await printed(executor, parent)).toBe(before)
  })

  it('an idle container ends itself, and one in which a block runs does not', {
    tags: 'nightly',
  }, async () => {
    const containerName = uniqueName()
    await using executor = warm({ containerName, idleTimeoutMs: 8_000 })
    expect(await printed(executor, python('import time', 'time.sleep(12)', 'print("done")'))).toBe('done\n')
    while ((await containersNamed(containerName)).length > 0) await delay(200)
    const result = await executor.execute([python('print(7)')])
    expect(result).toMatchObject({ status: 'ok', output: '7\n' })
    expect(noticeCodes(result)).toEqual(['container-replaced'])
  })

  it('what a block installs for its user is there for the next one', { tags: 'nightly' }, async () => {
    await using executor = warm()
    const folder = 'import os, site\nfolder = site.getusersitepackages()\n'
    await printed(
      executor,
      python(`${folder}os.makedirs(folder)\nopen(folder + "/later.py", "w").write("value = 7")`),
    )
    expect(await printed(executor, python('import later', 'print(later.value)'))).toBe('7\n')
  })

  it('files that are copied come and go around each block', async () => {
    await using executor = warm({ workDirMode: 'copy' })
    await executor.start()
    await writeFile(join(executor.workDir, 'given.txt'), 'given')
    expect(await printed(executor, python('print(open("given.txt").read())', 'open("made.txt", "w")'))).toBe(
      'given\n',
    )
    await rm(join(executor.workDir, 'given.txt'))
    expect(await printed(executor, python('import os', 'print(os.listdir())'))).toBe("['made.txt']\n")
  })

  it('leaves nothing in a container that is kept', async ({ onTestFinished }) => {
    const containerName = uniqueName()
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    onTestFinished(async () => {
      await removeContainer(containerName)
      await rm(workDir, { recursive: true })
    })
    const options = { containerName, workDir, stopContainer: false }
    const first = warm(options)
    const before = (await printed(first, parent)).trim()
    await first.stop()
    await using second = warm(options)
    // It ends with its connection, and a moment after that.
    const gone = `while [ -e /proc/${before} ]; do sleep 0.1; done; echo gone`
    expect(await printed(second, sh(gone))).toBe('gone\n')
    expect(await printed(second, python('print(7)'))).toBe('7\n')
  })

  it('an image without Python is no reason not to start', async () => {
    await using executor = warm({ image: 'fenced-test/busybox', warm: { preload: ['json'] } })
    expect(await executor.execute([python('print(1)')])).toMatchObject({ status: 'invalid', exitCode: 127 })
  })

  it('does not keep a host that has nothing to do, which takes its container along', async () => {
    const containerName = uniqueName()
    const host = startHost(containerName, 'print(1)')
    expect(await once(host, 'exit')).toEqual([0, null])
    while ((await containersNamed(containerName)).length > 0) await delay(200)
  })

  it('a host that is killed leaves nothing that runs in its container', async () => {
    const containerName = uniqueName()
    const seconds = uniqueSeconds()
    const left = `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})`
    const host = startHost(containerName, `import subprocess, time\n${left}\ntime.sleep(${seconds})`)
    while (spawnSync('pgrep', ['--full', '--exact', `sleep ${seconds}`]).status !== 0) await delay(100)
    host.kill('SIGKILL')
    expect(await processesLeft(`${seconds}`)).toEqual([])
    while ((await containersNamed(containerName)).length > 0) await delay(200)
  })
})

function startHost(containerName: string, code: string): ChildProcess {
  const program = join(import.meta.dirname, 'programs/forget.ts')
  const options = JSON.stringify({ image: 'fenced-test/python', containerName, warm: {} })
  const args = ['--conditions=@fenced/source', ...inOwnRealm, program, options, 'python', code]
  // In the realm of this file, an executor of another test removes what it leaves.
  const env = { ...process.env, FENCED_TEST_REALM: containerName }
  return spawn(process.execPath, args, { stdio: 'inherit', env })
}

describe.skipIf(podman.missing)('warm on Podman', () => {
  it('is the same', async () => {
    await using executor = warm({ docker: podmanHost, warm: { preload: ['colorsys'] } })
    const first = await printed(executor, parent)
    expect(await printed(executor, parent)).toBe(first)
    const result = await executor.execute([python('import sys', 'sys.exit("colorsys" in sys.modules)')])
    expect(result).toMatchObject({ status: 'error', exitCode: 1 })
  })
})

describe.skipIf(runsc.missing)('warm in gVisor', () => {
  it('says once that it cannot be, and runs blocks all the same', async () => {
    await using executor = warm({ runtime: 'runsc', memoryBytes: false, pids: false })
    const first = await executor.execute([python('print(7)')])
    expect(first).toMatchObject({ status: 'ok', output: '7\n' })
    expect(first.blocks[0]?.notices).toMatchObject([{ code: 'not-warm' }])
    expect(noticeCodes(await executor.execute([python('print(7)')]))).toEqual([])
  })
})
