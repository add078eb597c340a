import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

let folder = ''
/** In a directory that programs see. It exists where Fenced, as root, gives programs another user. */
const fileOfRoot = `/usr/local/fenced-attack-${randomUUID()}`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-attack-'))
  if (process.getuid?.() !== 0 || bubblewrap.missing) return
  const codes: string[] = []
  await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
  await executor.start({ onNotice: ({ code }) => codes.push(code) })
  if (!codes.includes('weaker-isolation')) await writeFile(fileOfRoot, 'private key', { mode: 0o600 })
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await rm(fileOfRoot, { force: true })
})

async function run(code: string, options: LocalExecutorOptions = {}) {
  await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', ...options })
  return await executor.execute([{ language: 'python', code }])
}

/** What a program attempts. */
const attempts: ReadonlyArray<readonly [what: string, code: string]> = [
  ['write a setting of the kernel', 'open("/proc/sys/kernel/core_pattern", "a")'],
  ['write another one', 'open("/proc/sys/vm/overcommit_memory", "a")'],
  ['write to the system', 'open("/etc/fenced-attack", "w")'],
  ['write beside the working directory', 'open("/fenced-attack", "w")'],
  ['read a file for root only', `open(${JSON.stringify(fileOfRoot)})`],
  ['read the passwords', 'assert open("/etc/shadow").read()'],
  ['read what lies beside the system', `open(${JSON.stringify(import.meta.filename)})`],
  ['see what the kernel has', 'os.listdir("/sys")'],
  ['read the keys of the session', 'call(250, 11, -3, 0, 0)'],
  ['make a user namespace', 'call(272, 0x10000000)'],
  [
    'make one with clone',
    'pid = libc.syscall(56, 0x10000011, 0, 0, 0, 0); assert pid >= 0; pid or os._exit(0)',
  ],
  ['use userfaultfd', 'call(323, 0)'],
  ['load a program into the kernel', 'call(321, 0, 0, 0)'],
  ['mount', 'check(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))'],
  ['make a file that gives away its owner’s rights', 'open("s", "w"); os.chmod("s", 0o4755)'],
  ['make one at once', 'os.open("t", os.O_CREAT | os.O_WRONLY, 0o4755)'],
  ['type into a terminal', 'import fcntl; m, s = os.openpty(); fcntl.ioctl(s, 0x5412, b"x")'],
]

const preamble = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result == -1: raise OSError(ctypes.get_errno(), "refused")
def call(*arguments): check(libc.syscall(*arguments))
`

const starts = [
  ['started', {}],
  ['forked', { warm: {} }],
] as const

describe.skipIf(bubblewrap.missing || python.missing || process.arch !== 'x64').each(starts)(
  'code in bubblewrap, %s,',
  (how, start) => {
    const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', ...start })
    afterAll(() => executor.stop())

    it.each(attempts)('cannot %s', async (_, attempt) => {
      const code = `${preamble}\ntry:\n    ${attempt}\n    print('it can')\nexcept (OSError, AssertionError): pass`
      const { status, output } = await executor.execute([{ language: 'python', code }])
      expect({ status, output }).toEqual({ status: 'ok', output: '' })
    })

    it('can do what programs do: threads, processes, sockets, modes, locks', async () => {
      const { status, output } = await run(
        `
import concurrent.futures, fcntl, multiprocessing, os, socket, sqlite3, ssl, subprocess, tempfile, threading
with concurrent.futures.ProcessPoolExecutor(2) as pool: print(sum(pool.map(abs, [-1, -2])))
with concurrent.futures.ThreadPoolExecutor(2) as pool: print(sum(pool.map(abs, [-1, -2])))
print(subprocess.run(["sh", "-c", "echo $((1 + 1)); ls / | head -1"], capture_output=True, text=True).stdout.split()[0])
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
open("f", "w").write("f"); os.chmod("f", 0o755); os.mkdir("d", 0o700)
with open("f") as file: fcntl.flock(file, fcntl.LOCK_EX)
sqlite3.connect("db").execute("create table t (x)")
with tempfile.NamedTemporaryFile() as file: file.write(b"x")
os.makedirs(os.path.expanduser("~/.cache/x"))
`,
        start,
      )
      expect({ status, output }).toEqual({ status: 'ok', output: "3\n3\n2\nb'x'\n" })
    })

    it.each(['/nonexistent', '/', '/usr/games'])('runs where the home is %s', async (home) => {
      vi.stubEnv('HOME', home)
      try {
        expect(await run('print(1)', start)).toMatchObject({ status: 'ok', output: '1\n' })
      } finally {
        vi.unstubAllEnvs()
      }
    })

    it('cannot change the virtual environment in its working directory, by which it is run', async () => {
      const workDir = join(folder, `project-${how}`)
      await mkdir(workDir)
      const made = spawnSync('python3', ['-m', 'venv', '--without-pip', join(workDir, '.venv')])
      expect(made.status).toBe(0)
      const result = await run(
        `
import os, sys
print(sys.prefix)
for path in ["lib", "bin", "."]:
    try: open(os.path.join(sys.prefix, path, "sitecustomize.py"), "w"); print("written", path)
    except OSError: pass
open("kept", "w")
`,
        { ...start, workDir, python: join(workDir, '.venv') },
      )
      expect(result.output).toBe(`${join(workDir, '.venv')}\n`)
      expect(existsSync(join(workDir, 'kept'))).toBe(true)
    })
  },
)

describe.skipIf(bubblewrap.missing || python.missing)('a shell in bubblewrap', () => {
  const attack = `
for venv in .venv tools/.venv; do
  mv "$venv" away; mv "$(dirname "$venv")" elsewhere; rm -f "$venv/bin/python"
  mkdir -p "$venv/bin"
  echo evil > "$venv/bin/python"; echo evil > "$venv/bin/more"; echo evil > "$venv/pyvenv.cfg"
done 2> /dev/null
echo kept > kept`

  it.each(['.venv', 'tools/.venv'])(
    'cannot change the Python %s of its working directory, however it is named',
    async (name) => {
      for (const way of ['option', 'VIRTUAL_ENV', 'PATH', 'env']) {
        const workDir = await mkdtemp(join(folder, 'shell-'))
        const venv = join(workDir, name)
        expect(spawnSync('python3', ['-m', 'venv', '--without-pip', venv]).status).toBe(0)
        const config = await readFile(join(venv, 'pyvenv.cfg'), 'utf8')
        if (way === 'VIRTUAL_ENV') vi.stubEnv('VIRTUAL_ENV', venv)
        const PATH = `${join(venv, 'bin')}:${process.env.PATH}`
        if (way === 'PATH') vi.stubEnv('PATH', PATH)
        try {
          const python = way === 'option' ? { python: venv } : way === 'env' ? { env: { PATH } } : {}
          await using executor = new LocalCommandLineCodeExecutor({
            ...python,
            workDir,
            isolation: 'bubblewrap',
          })
          await executor.execute([{ language: 'sh', code: attack }])
          expect(await readFile(join(workDir, 'kept'), 'utf8')).toBe('kept\n')
          expect(await readFile(join(venv, 'pyvenv.cfg'), 'utf8')).toBe(config)
          expect(spawnSync(join(venv, 'bin', 'python'), ['--version']).status).toBe(0)
          expect(existsSync(join(venv, 'bin', 'more'))).toBe(false)
        } finally {
          vi.unstubAllEnvs()
        }
      }
    },
  )
})

describe.skipIf(python.missing || process.platform !== 'linux')('what Fenced itself runs', () => {
  it('takes nothing from the directory that it is in, nor from the packages of the interpreter', async () => {
    const directory = await mkdtemp(join(folder, 'shadowed-'))
    const venv = join(directory, '.venv')
    spawnSync('python3', ['-m', 'venv', '--without-pip', venv])
    const [lib = ''] = await readdir(join(venv, 'lib'))
    const ran = join(directory, 'was-run')
    const evil = `open(${JSON.stringify(ran)}, 'a').write(open('/proc/self/cmdline').read() + '\\n')`
    await writeFile(join(venv, 'lib', lib, 'site-packages', 'sitecustomize.py'), evil)
    for (const name of ['os.py', 'sys.py', 'encodings.py']) await writeFile(join(directory, name), evil)
    // A resident Python starts as programs do, with what they import.
    await using executor = new LocalCommandLineCodeExecutor({ workDir: directory, python: venv, warm: false })
    await executor.execute([{ language: 'sh', code: 'true' }])
    expect(existsSync(ran)).toBe(false)
    await executor.execute([{ language: 'python', code: 'raise SystemExit(0)' }])
    // The block itself is code, and may run them.
    const commands = (await readFile(ran, 'utf8')).trimEnd().split('\n')
    expect(commands.filter((command) => !command.includes('/.fenced-'))).toEqual([])
  })
})

describe.skipIf(python.missing || process.platform !== 'linux')(
  'descriptors that the host was started with',
  () => {
    const program = new URL('programs/descriptors.ts', import.meta.url).pathname

    it.each(['none', 'warm', ...(bubblewrap.missing ? [] : ['bubblewrap', 'warm bubblewrap'])])(
      'do not reach the code: %s',
      async (how) => {
        const command = `exec 7</ 78</; exec "$0" --conditions=@fenced/source "$1" "$2"`
        const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, program, how])
        expect(stdout).toBe('[]\n')
      },
    )
  },
)
