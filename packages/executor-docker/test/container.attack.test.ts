import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { python, sh } from './blocks.ts'
import { docker } from './requirements.ts'
import { rounds } from './rounds.ts'

const image = 'fenced-test/python'

/** Exchanges `d` below a directory and a link to a directory of the host, as fast as it can, for five seconds. */
const exchanger = (directory: string, target: string) => `
import ctypes, os, time
libc = ctypes.CDLL(None)
directory = ${JSON.stringify(directory)}
os.makedirs(directory + '/d/home', exist_ok=True)
for index in range(2000): open(f'{directory}/d/fill{index}', 'w').close()
if not os.path.lexists(directory + '/link'): os.symlink(${JSON.stringify(target)}, directory + '/link')
if os.fork() == 0:
    os.setsid()
    for fd in (0, 1, 2): os.close(fd)
    end = time.time() + 5
    while time.time() < end:
        libc.renameat2(-100, (directory + '/d').encode(), -100, (directory + '/link').encode(), 2)
    os._exit(0)
`

describe.skipIf(docker.missing)('code in a container, with a mounted working directory', () => {
  let outside = ''
  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'fenced-outside-'))
    await mkdir(join(outside, 'home'))
    for (let index = 0; index < 50; index++) await writeFile(join(outside, 'home', `${index}`), 'precious')
  })
  afterAll(() => rm(outside, { recursive: true }))

  const intact = async () => (await readdir(join(outside, 'home'))).length

  it.each([false, true])('deletes nothing of the host where its own file was: warm: %s', async (warm) => {
    for (let round = 0; round < 2 * rounds; round++) {
      await using executor = new DockerCommandLineCodeExecutor({ image, warm })
      const itself = `import sys\nitself = sys.argv[0] or __file__\n`
      await executor.execute([
        python(
          `${itself}import os\nos.remove(itself)\n${exchanger('x', outside).replaceAll('"x"', 'itself')}`,
        ),
      ])
      await executor.execute([sh('true')])
    }
    expect(await intact()).toBe(50)
  })

  it('sees no name of the host in the list of its files', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image })
    for (let round = 0; round < 3 * rounds; round++) {
      const { files } = await executor.execute([python(exchanger('tree', outside))])
      expect(files.filter(({ path }) => /home\/\d/.test(path))).toEqual([])
    }
  })

  it('leaves no program on the host that gives away the rights of its owner', async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-work-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
    const bits = async (name: string) => (await stat(join(workDir, name))).mode & 0o7777
    {
      await using executor = new DockerCommandLineCodeExecutor({ image, workDir })
      const attack = sh(
        'mkdir -p deep/er .git',
        'for file in shell deep/er/shell .git/shell; do cp /bin/sh $file; chmod 6755 $file; done',
        'cp /bin/sh locked; chmod 6111 locked',
      )
      await executor.execute([attack])
      expect([await bits('shell'), await bits('deep/er/shell'), await bits('locked')]).toEqual([
        0o755, 0o755, 0o111,
      ])
    }
    expect(await bits('.git/shell')).toBe(0o755)
  })

  /** Prints how many files pass on the rights of their owner, also where `find` needs no path for them. */
  const countSetIds = (workDir: string) =>
    execFileSync('find', ['.', '-type', 'f', '-perm', '/6000'], { cwd: workDir }).toString('latin1')

  const hideSetIds = python(
    'import os',
    'def leave(name):',
    '    open(name, "w").close()',
    '    os.chmod(name, 0o6755)',
    'os.mkdir(b"\\xff")',
    'for name in b"\\xfe", b"\\xff/\\xfe": leave(name)',
    'for level in range(110):',
    '    os.mkdir("chain" * 50)',
    '    os.chdir("chain" * 50)',
    'leave("shell")',
    'os.chmod("../" + "chain" * 50, 0o111)',
  )

  it('leaves none either with a name that is not UTF-8, or with a path that is too long', async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-work-'))
    onTestFinished(() => void execFileSync('rm', ['-rf', workDir]))
    await using executor = new DockerCommandLineCodeExecutor({ image, workDir })
    const { status, blocks } = await executor.execute([hideSetIds])
    expect([status, blocks[0]?.notices.map(({ code }) => code)]).toEqual(['ok', ['files-not-listed']])
    expect(countSetIds(workDir)).toBe('')
  })

  it.skipIf(process.getuid?.() !== 0)(
    'leaves none where only the user of its container may change them',
    async () => {
      class OfAnotherUser extends HostWorkDirectory {
        override clearSetIds = async () => false
      }
      const path = await mkdtemp(join(tmpdir(), 'fenced-work-'))
      onTestFinished(() => void execFileSync('rm', ['-rf', path]))
      const workDirectory = new OfAnotherUser({ path, mountedAt: '/workspace' })
      await workDirectory.open()
      await workDirectory.giveTo({ userId: 4_321, groupId: 4_321 })
      const sandbox = new DockerSandbox({ image, user: '4321:4321', workDirMode: 'bind' }, { workDirectory })
      await sandbox.start()
      const process = await sandbox.spawn(['python3', '-c', hideSetIds.code])
      expect(await process.ended).toMatchObject({ kind: 'exited', exitCode: 0 })
      expect(countSetIds(path)).not.toBe('')
      await sandbox.stop()
      expect(countSetIds(path)).toBe('')
    },
  )

  it('leaves nothing that runs, whatever it forks and however it hides', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image, pids: 200 })
    const seconds = uniqueSeconds()
    const hidden = python(
      'import os, time',
      'def hide():',
      '    os.setsid()',
      `    os.execve("/bin/sleep", [" ", "${seconds}"], {})`,
      'hidden = [os.fork() or hide() for _ in range(50)]',
      'while any("sleep" not in open(f"/proc/{process}/comm").read() for process in hidden): time.sleep(0.1)',
      'print("started")',
    )
    expect((await executor.execute([hidden])).output).toBe('started\n')
    expect(await processesLeft(`${seconds}`)).toEqual([])
    const bomb = sh('bomb() { bomb | bomb & }', 'bomb', 'sleep 1')
    await executor.execute([bomb], { timeoutMs: 5_000 })
    // While the last of them end, the engine may not be able to start a process: then this one has died.
    await executor.execute([sh('true')])
    expect((await executor.execute([sh('echo usable')])).output).toBe('usable\n')
  })

  it.each([
    ['doubles', 'while True: os.fork()'],
    [
      'is another process every moment',
      'while True:\n    if os.fork(): os._exit(0)\n    os.setsid()\n    sign()',
    ],
  ])('leaves nothing that forks without end: what %s', async (_, loop) => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-work-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
    await using executor = new DockerCommandLineCodeExecutor({ image, workDir, pids: 100 })
    const detached = [
      'import os',
      'def sign():',
      "    with open('signs', 'ab') as file: file.write(b'.')",
      'if os.fork(): os._exit(0)',
      'os.setsid()',
      'os.closerange(0, 3)',
      'sign()',
      loop,
    ].join('\n')
    const started = python(
      'import os, subprocess, sys, time',
      `subprocess.Popen([sys.executable, '-c', ${JSON.stringify(detached)}], env={}).wait()`,
      "while not os.path.exists('signs'): time.sleep(0.01)",
      'time.sleep(0.5)',
    )
    const beside = python(
      'import os, time',
      'def forks(): return int(open("/proc/loadavg").read().split()[-1])',
      'before = forks()',
      'size = os.path.getsize("signs")',
      'time.sleep(0.5)',
      'print(forks() - before, os.path.getsize("signs") - size)',
    )
    for (let round = 0; round < 2 * rounds; round++) {
      const { status } = await executor.execute([started])
      expect(status).toBe('ok')
      // Fewer than ten: the container itself starts a process now and then. What forks without end makes hundreds.
      const output = expect.stringMatching(/^\d 0\n$/)
      expect(await executor.execute([beside])).toMatchObject({ status: 'ok', output })
      await rm(join(workDir, 'signs'))
    }
  })
})
