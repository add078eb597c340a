import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PythonRunner } from '../src/resident-python/python-runner.ts'
import { runnerCommand } from '../src/runner-command.ts'
import { python, pythonPath } from './python.ts'

let folder = ''
let count = 0
const started: Array<{ kill(): void }> = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-runner-'))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill()
})
afterAll(() => rm(folder, { recursive: true }))

async function start({
  preload = [] as string[],
  command = [pythonPath],
  env = {},
  cwd = process.cwd(),
  privatePaths = [] as string[],
} = {}) {
  const [program = '', ...args] = runnerCommand(command, preload)
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, PYTHONUNBUFFERED: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  started.push({ kill: () => child.kill('SIGKILL') })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const runner = await PythonRunner.start({ input: child.stdin, output: child.stdout, privatePaths })
  return { child, runner, errors: () => errors }
}

interface Run {
  readonly signal?: AbortSignal
  readonly killGraceMs?: number
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
  readonly command?: readonly [string, ...string[]]
  readonly cwd?: string
  readonly content?: string
  readonly write?: (stream: string, chunk: Uint8Array) => void | Promise<void>
}

async function run(runner: PythonRunner, code: string, given: Run = {}) {
  const {
    signal = new AbortController().signal,
    killGraceMs = 1_000,
    env,
    args,
    command,
    cwd = folder,
    content,
    write,
  } = given
  const path = join(folder, `program-${count++}.py`)
  await writeFile(path, code)
  const seen = { stdout: '', stderr: '' }
  const end = await runner.run(
    { path, cwd, content, killGraceMs, args, command, ...(env === undefined ? {} : { env }) },
    {
      signal,
      ended: () => {},
      write: (stream, chunk) => {
        seen[stream] += Buffer.from(chunk).toString()
        return write?.(stream, chunk)
      },
    },
  )
  return { end: withoutUsage(end), ...seen }
}

/** An end without its figures, which differ each time. */
function withoutUsage<End>(end: End): End {
  return typeof end === 'object' ? { ...end, usage: undefined } : end
}

describe.skipIf(python.missing)('a runner', () => {
  it.each([
    ['a file more', 'open("more", "w")'],
    ['a file less', 'import os; os.remove("file")'],
    ['other content', 'open("file", "a").write("more")'],
    ['another file of its name', 'import os; open("new", "w"); os.replace("new", "file")'],
    ['a file in a directory', 'open("directory/more", "w")'],
    ['another mode', 'import os; os.chmod(".", 0o700)'],
    ['a thousand files', 'for i in range(1000): open(str(i), "w")'],
  ])('is spent when a program leaves in a private path %s', async (_, change) => {
    const place = await mkdtemp(join(folder, 'private-'))
    await chmod(place, 0o755)
    await mkdir(join(place, 'directory'))
    await writeFile(join(place, 'file'), 'content')
    const { runner } = await start({ privatePaths: [place, '/no/such/path', '/proc/sysvipc/shm'] })
    const harmless = 'open("more", "w"); import os; os.remove("more"); open("file").read()'
    for (let round = 0; round < 2; round++) {
      expect((await run(runner, harmless, { cwd: place })).end).toEqual({ exitCode: 0 })
    }
    expect((await run(runner, change, { cwd: place })).end).toEqual({ exitCode: 0 })
    expect((await run(runner, 'print(1)')).end).toBe('stale')
    expect(runner.isUsable).toBe(false)
    runner.stop()
  })

  it('gives a program its arguments, also one of another language', async () => {
    const { runner } = await start()
    const args = ['-x', 'two words', '', '+A=1', '@ü']
    const { stdout } = await run(runner, 'import json, sys; print(json.dumps(sys.argv[1:]))', { args })
    expect(JSON.parse(stdout)).toEqual(args)
    const show = 'for each; do printf "[%s]" "$each"; done'
    expect((await run(runner, show, { args, command: ['/bin/sh'] })).stdout).toBe(
      '[-x][two words][][+A=1][@ü]',
    )
    runner.stop()
  })

  it.skipIf(process.platform !== 'linux')(
    'runs the content that it is given and not the file, under the path of the file',
    async () => {
      const { runner } = await start()
      const show = (content: string) =>
        run(runner, 'print("the file")', { content: `import os, sys\n${content}`, args: ['one'] })
      const names =
        'os.path.dirname(__file__) == sys.path[0] == os.getcwd(), sys.argv[0] == __file__, sys.argv[1:]'
      expect(await show(`print(${names})`)).toEqual({
        end: { exitCode: 0, tookContent: true },
        stdout: "True True ['one']\n",
        stderr: '',
      })
      const { stderr } = await show('\n1 / 0')
      expect(stderr).toMatch(
        /^Traceback .*\n {2}File ".*program-\d+\.py", line 3, in <module>\nZeroDivisionError/,
      )
      const long = await show(`${'# \u00e9\n'.repeat(200_000)}print(sys._getframe().f_lineno, "\u00e9")`)
      expect(long.stdout).toBe('200002 \u00e9\n')
      expect((await show('# NUL: \0')).end).toEqual({ exitCode: 1, tookContent: true })
      expect((await run(runner, 'print("the file")')).stdout).toBe('the file\n')
      runner.stop()
    },
  )

  it('runs a file beforehand, of which a program finds what was imported', async () => {
    const file = join(folder, 'beforehand.py')
    await writeFile(file, 'import colorsys; print(__name__, __file__); mine = 1')
    const { runner } = await start({ preload: [file] })
    const show =
      "import sys; print('colorsys' in sys.modules, 'beforehand' in sys.modules, 'mine' in globals())"
    expect((await run(runner, show)).stdout).toBe('True False False\n')
    runner.stop()
    await writeFile(file, '1 / 0')
    const data = { module: file, reason: expect.stringMatching(/^ZeroDivisionError/) }
    await expect(start({ preload: [file] })).rejects.toMatchObject({ code: 'PRELOAD_FAILED', data })
  })

  it('corrects the directory in PWD where that was its own, and leaves another one alone', async () => {
    const show = 'import os, subprocess; print(os.environ.get("PWD"), flush=True); subprocess.run(["env"])'
    const other = await mkdtemp(join(folder, 'directory-'))
    for (const [PWD, seen] of [
      ['/', other],
      ['/usr', '/usr'],
      [undefined, undefined],
    ]) {
      const { runner } = await start({ cwd: '/', env: PWD === undefined ? {} : { PWD } })
      const { stdout } = await run(runner, show, { cwd: other })
      expect(stdout).toContain(`${seen ?? 'None'}\n`)
      expect(/^PWD=(.*)$/m.exec(stdout)?.[1]).toBe(seen)
      runner.stop()
    }
  })

  it('runs one program after the other, each in a process of its own', async () => {
    const { runner } = await start()
    expect(await run(runner, 'x = 1; print(x); import sys; sys.stderr.write("e"); sys.exit(3)')).toEqual({
      end: { exitCode: 3 },
      stdout: '1\n',
      stderr: 'e',
    })
    expect(await run(runner, 'print("x" in globals())')).toMatchObject({
      end: { exitCode: 0 },
      stdout: 'False\n',
    })
  })

  it('has imported what was to be preloaded, and says what could not be', async () => {
    const { runner } = await start({ preload: ['colorsys', 'xml.dom'] })
    const { stdout } = await run(
      runner,
      'import sys; print("colorsys" in sys.modules, "xml.dom" in sys.modules)',
    )
    expect(stdout).toBe('True True\n')
    await expect(start({ preload: ['json', 'no_such_module'] })).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: 'no_such_module', reason: expect.stringMatching(/^ModuleNotFoundError/) },
    })
  })

  it('does not mix what modules print while they are preloaded with its own words', async () => {
    await writeFile(
      join(folder, 'noisy.py'),
      'import sys, os\nprint("noise"); os.write(1, b"more"); sys.stdin.read()',
    )
    const { runner } = await start({ preload: ['noisy'], env: { PYTHONPATH: folder } })
    expect((await run(runner, 'print(1)')).stdout).toBe('1\n')
  })

  it('leaves the function in place that reports exceptions', async () => {
    await writeFile(join(folder, 'hooking.py'), 'import sys\nsys.excepthook = lambda *_: print("hooked")')
    const { runner } = await start({ preload: ['hooking'], env: { PYTHONPATH: folder } })
    expect(await run(runner, '1 / 0')).toMatchObject({ end: { exitCode: 1 }, stdout: 'hooked\n' })
  })

  it('whose preloaded module ends the interpreter says so', async () => {
    await writeFile(join(folder, 'ending.py'), 'import os\nos._exit(3)')
    await expect(start({ preload: ['ending'], env: { PYTHONPATH: folder } })).rejects.toMatchObject({
      code: 'RESIDENT_PYTHON_DIED',
    })
  })

  it('that is no Python says so', async () => {
    await expect(start({ command: ['sh', '-c', 'exit 1', 'sh'] })).rejects.toMatchObject({
      code: 'RESIDENT_PYTHON_DIED',
    })
    await expect(start({ command: ['sh', '-c', 'echo "hello there"', 'sh'] })).rejects.toMatchObject({
      code: 'RESIDENT_PYTHON_DIED',
    })
  })

  it('gives every program the environment that was asked for, and nothing to the next', async () => {
    const { runner } = await start()
    const show = 'import os; print(sorted(os.environ)); os.system("echo only=$ONLY")'
    expect((await run(runner, show, { env: { ONLY: 'é=1', PATH: '/usr/bin:/bin' } })).stdout).toMatch(
      /ONLY.*\nonly=é=1/,
    )
    expect((await run(runner, show)).stdout).toMatch(/PYTHONUNBUFFERED.*\nonly=\n/)
  })

  it('says when a program cannot be started, and goes on', async () => {
    const { runner } = await start()
    const { end } = await run(runner, 'print(1)', { cwd: join(folder, 'nowhere') })
    expect(end).toEqual({ notStarted: { errorNumber: 2, message: expect.stringMatching(/No such file/) } })
    expect((await run(runner, 'print(1)')).end).toEqual({ exitCode: 0 })
  })

  it('shows no program what the wait for an earlier one has imported', async () => {
    const { runner } = await start()
    const seen = 'import sys; print("resource" in sys.modules, None in sys.path_importer_cache.values())'
    const [first, second] = [await run(runner, seen), await run(runner, seen)]
    expect(second.stdout).toBe(first.stdout)
    expect(first.stdout).toMatch(/^False /)
  })

  it('says it as the interpreter does when there is no such file', async () => {
    const { runner } = await start()
    let stderr = ''
    const end = await runner.run(
      { path: join(folder, 'nowhere.py'), cwd: folder, killGraceMs: 0 },
      {
        signal: new AbortController().signal,
        ended: () => {},
        write: (_, chunk) => {
          stderr += Buffer.from(chunk).toString()
        },
      },
    )
    expect(end).toMatchObject({ exitCode: 2 })
    expect(stderr).toBe(
      `${pythonPath}: can't open file '${join(folder, 'nowhere.py')}': [Errno 2] No such file or directory\n`,
    )
  })

  it('is not touched by what a program does to its own process', async () => {
    const { runner } = await start()
    const hostile = [
      'import os, sys, builtins, signal, resource, time',
      'os.chdir("/"); os.umask(0o777); os.environ.clear(); os.closerange(3, 50)',
      'os.write = os.read = os.fork = time.monotonic = None; vars(builtins).clear(); sys.modules.clear()',
      'signal.signal(signal.SIGTERM, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))',
    ]
    await run(runner, hostile.join('\n'))
    const { stdout } = await run(
      runner,
      'import os, signal, resource; print(os.getcwd(), oct(os.umask(0o22)), "PATH" in os.environ, signal.getsignal(15) == signal.SIG_DFL, resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 10)',
    )
    expect(stdout).toMatch(new RegExp(`^${folder} 0o\\d+ True True True`))
    expect(stdout).not.toContain('0o777')
  })

  it('leaves no descriptor of its own to a program', async () => {
    const { runner } = await start()
    const code = 'import os; print(sorted(os.listdir("/proc/self/fd")))'
    // Whoever starts the tests may have left some.
    const inherited = `${spawnSync(pythonPath, ['-c', code], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout}`
    for (let round = 0; round < 3; round++) expect((await run(runner, code)).stdout).toBe(inherited)
    expect((await run(runner, '', { content: code })).stdout).toBe(inherited)
  })

  it('starts random numbers again', async () => {
    const { runner } = await start({ preload: ['random'] })
    const draw = async () => (await run(runner, 'import random; print(random.random())')).stdout
    expect(await draw()).not.toBe(await draw())
  })

  it('ends what a program leaves behind, also what fled and cleared its environment', async () => {
    const { runner } = await start()
    const seconds = uniqueSeconds()
    const { end, stdout } = await run(
      runner,
      `import subprocess\nfor new in (True, False): subprocess.Popen(['sleep', '${seconds}'], start_new_session=new, env={})\nprint('done')`,
    )
    expect({ end, stdout }).toEqual({ end: { exitCode: 0 }, stdout: 'done\n' })
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('ends a program that ignores SIGTERM, after the grace', async () => {
    const { runner } = await start()
    const controller = new AbortController()
    const { end, stdout } = await run(
      runner,
      'import os, signal, time\nsignal.signal(signal.SIGTERM, lambda *_: os.write(1, b"heard\\n"))\nos.write(1, b"ready\\n")\nwhile True: time.sleep(60)',
      { signal: controller.signal, killGraceMs: 100, write: () => controller.abort() },
    )
    expect(end).toEqual({ exitCode: 137 })
    expect(stdout).toBe('ready\nheard\n')
    expect((await run(runner, 'print(1)')).end).toEqual({ exitCode: 0 })
  })

  it('lets a program wait while nobody takes its output, and loses nothing', async () => {
    const { runner, child } = await start()
    const gate = Promise.withResolvers<void>()
    let bytes = 0
    const running = run(runner, 'import sys\nfor n in range(400): sys.stdout.write("x" * 65536)', {
      write: (_, chunk) => {
        bytes += chunk.length
        return gate.promise
      },
    })
    let before = 0
    while (bytes === 0 || bytes !== before) {
      before = bytes
      await sleep(300)
    }
    expect(bytes).toBeLessThan(2 ** 20)
    expect(child.stdout.readableLength).toBeLessThan(2 ** 20)
    gate.resolve()
    expect((await running).end).toEqual({ exitCode: 0 })
    expect(bytes).toBe(400 * 65_536)
  })

  it('says of a program that it ended by itself, although its reader was too slow for its time limit', async () => {
    const { runner } = await start()
    const controller = new AbortController()
    const gate = Promise.withResolvers<void>()
    const pidFile = join(folder, 'pid')
    const code = `import os, sys
with open('${pidFile}', 'w') as file: file.write(str(os.getpid()))
for n in range(4): sys.stdout.write("x" * 10000)
sys.exit(3)`
    const running = run(runner, code, { signal: controller.signal, write: () => gate.promise })
    await vi.waitFor(async () => {
      const pid = Number(await readFile(pidFile, 'utf8'))
      expect(pid).toBeGreaterThan(0)
      // Until the runner has taken its exit code.
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    }, 120_000)
    controller.abort()
    gate.resolve()
    expect((await running).end).toEqual({ exitCode: 3, endedByItself: true })
  })

  it('that is killed by its program takes the program along, and says that it died', async () => {
    const { runner, child } = await start()
    const seconds = uniqueSeconds()
    const { end } = await run(runner, `import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(${seconds})`)
    expect(end).toBe('died')
    expect(runner.isUsable).toBe(false)
    if (child.signalCode === null) await once(child, 'exit')
    expect((await run(runner, 'print(1)')).end).toBe('died')
  })

  it('that does not answer any more is given up', { timeout: 120_000 }, async () => {
    const { runner } = await start()
    const path = join(folder, 'stopped')
    const controller = new AbortController()
    const running = run(
      runner,
      `import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\nopen('${path}', 'w')\ntime.sleep(60)`,
      // That the program has this time does not mean that the runner has.
      { signal: controller.signal, killGraceMs: 60_000 },
    )
    await expect.poll(() => existsSync(path)).toBe(true)
    controller.abort()
    expect((await running).end).toBe('died')
    expect(runner.isSilent).toBe(true)
  })

  it('hears that a program is to end also when it hears of both at once', { timeout: 120_000 }, async () => {
    const { runner, child } = await start()
    const path = join(folder, 'program-that-waits.py')
    await writeFile(path, 'import time\ntime.sleep(60)')
    const controller = new AbortController()
    child.stdin.cork()
    const running = runner.run(
      { path, cwd: folder, killGraceMs: 60_000 },
      { signal: controller.signal, write: () => {} },
    )
    controller.abort()
    child.stdin.uncork()
    expect(await running).toMatchObject({ exitCode: 143 })
  })

  it('ends when its stream does, with the program that runs and all that it started', async () => {
    const { runner, child } = await start()
    const seconds = uniqueSeconds()
    const running = run(
      runner,
      `import subprocess, time\nsubprocess.Popen(['sleep', '${seconds}'], start_new_session=True)\nprint('on')\ntime.sleep(60)`,
      { write: () => runner.stop() },
    )
    expect((await running).end).toBe('died')
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('can be given up while it starts', async () => {
    const [program = '', ...args] = runnerCommand([pythonPath], [])
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    started.push({ kill: () => child.kill('SIGKILL') })
    const controller = new AbortController()
    const starting = PythonRunner.start({
      input: child.stdin,
      output: child.stdout,
      signal: controller.signal,
    })
    controller.abort(new Error('changed my mind'))
    await expect(starting).rejects.toThrow('changed my mind')
  })

  it('does not run a program whose signal is aborted already', async () => {
    const { runner } = await start()
    expect(await run(runner, 'print(1)', { signal: AbortSignal.abort() })).toEqual({
      end: { exitCode: 137 },
      stdout: '',
      stderr: '',
    })
  })
})
