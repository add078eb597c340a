import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { LocalSandbox } from '@fenced/sandbox-local'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

/** Tries to reach the processes of its sandbox that it has not started, and prints them and what it could do. */
const attack = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def check(result):
    if result < 0: raise OSError(ctypes.get_errno(), 'refused')
    return result
def call(*numbers): return check(libc.syscall(*map(ctypes.c_long, numbers)))
ATTACH, SEIZE, PIDFD_OPEN, PIDFD_GETFD = 16, 0x4206, 434, 438
read, write = (libc.process_vm_readv, libc.process_vm_writev)
def vectors(): return (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
def attempts(pid):
    place = '/proc/%d/' % pid
    yield 'attach', lambda: check(libc.ptrace(ATTACH, pid, None, None))
    yield 'seize', lambda: check(libc.ptrace(SEIZE, pid, None, None))
    yield 'attach to a number of 64 bits', lambda: call(101, ATTACH, pid + 2 ** 32, 0, 0)
    yield 'read memory by a call', lambda: check(read(pid, vectors(), 1, vectors(), 1, 0))
    yield 'write memory by a call', lambda: check(write(pid, vectors(), 1, vectors(), 1, 0))
    yield 'take a descriptor', lambda: call(PIDFD_GETFD, call(PIDFD_OPEN, pid, 0), 0, 0)
    for file in ('mem', 'task/%d/mem' % pid):
        yield 'write ' + file, lambda: open(place + file, 'r+b')
        yield 'read ' + file, lambda: open(place + file, 'rb')
    for file in ('environ', 'maps', 'auxv', 'syscall', 'stack'):
        yield 'read ' + file, lambda: open(place + file, 'rb').read() or check(-1)
    for name in ('root', 'cwd', 'exe'):
        yield 'follow ' + name, lambda: os.stat(place + name)
    yield 'see a descriptor', lambda: [os.readlink(place + 'fd/' + name) for name in os.listdir(place + 'fd')]
    yield 'open a descriptor', lambda: open(place + 'fd/1', 'r+b')
others = [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != os.getpid()]
print(len(others), min(others))
for pid in others:
    for what, act in attempts(pid):
        try: act()
        except OSError: continue
        print(pid, what)
`

const network = { allowedHosts: ['api.example.com'] } as const
/** How a block is started, and how many processes it sees that it has not started. */
const starts: [how: string, options: LocalExecutorOptions, others: number][] = [
  ['started', { warm: false }, 1],
  ['forked', { warm: {} }, 1],
  ['started, with a network by list', { warm: false, network }, 2],
  ['forked, with a network by list', { warm: {}, network }, 2],
]

const isMissing = bubblewrap.missing || python.missing || process.arch !== 'x64'

describe.skipIf(isMissing).each(starts)('a block in bubblewrap, %s,', (_, options, others) => {
  it('cannot trace, read or write a process of its sandbox that it has not started', async () => {
    await using executor = executorWith(options)
    for (let round = 0; round < 2; round++) {
      expect(await run(executor, attack)).toMatchObject({ status: 'ok', output: `${others} 1\n` })
    }
  })

  it('ends by itself alone, whatever signals it sends to process 1', async () => {
    await using executor = executorWith(options)
    const code = `
import os, signal
harmless = signal.valid_signals() - {signal.SIGINT, signal.SIGKILL, signal.SIGSTOP}
for number in [*harmless, signal.SIGSTOP, signal.SIGKILL]:
    try: os.kill(1, number)
    except PermissionError: pass # Where Fenced runs as root, process 1 of another program belongs to another user.
print('sent')`
    for (let round = 0; round < 2; round++) {
      expect(await run(executor, code)).toMatchObject({ status: 'ok', output: 'sent\n' })
    }
  })

  it('leaves nothing that runs, also what left its session, cleared its environment and is an orphan', async () => {
    await using executor = executorWith(options)
    const seconds = uniqueSeconds()
    const code = `
import os, subprocess
for _ in range(3): subprocess.Popen(['setsid', '-f', 'env', '-i', 'sleep', '${seconds}'])`
    for (let round = 0; round < 2; round++) {
      expect((await run(executor, code)).status).toBe('ok')
      expect(await processesLeft(`${seconds}`)).toEqual([])
    }
  })
})

describe.skipIf(isMissing)('a block that is forked in bubblewrap', () => {
  it('can trace its own processes, and open their memory', async () => {
    await using executor = executorWith({ warm: {} })
    const code = `
import ctypes, os, time
libc = ctypes.CDLL(None)
child = os.fork()
if child == 0: time.sleep(600)
assert libc.ptrace(16, child, None, None) == 0
os.waitpid(child, 0)
open('/proc/%d/mem' % child, 'r+b').close()
os.kill(child, 9)
print('traced')`
    expect(await run(executor, code)).toMatchObject({ status: 'ok', output: 'traced\n' })
  })

  it('has its own exit code, and those of its children, while orphans end beside them', async () => {
    await using executor = executorWith({ warm: {} })
    const code = `
import os, subprocess, sys
for _ in range(30): subprocess.run(['sh', '-c', '(exit 9) & (sleep 0.01; exit 9) & exit 0'])
print([subprocess.run(['sh', '-c', 'exit %d' % code]).returncode for code in range(5)])
sys.exit(7)`
    for (let round = 0; round < 2; round++) {
      const result = await run(executor, code)
      expect(result).toMatchObject({ status: 'error', exitCode: 7, output: '[0, 1, 2, 3, 4]\n' })
    }
    const left = 'import os; print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[:-1])'
    expect(await run(executor, left)).toMatchObject({ output: '[1]\n' })
  })
})

describe.skipIf(isMissing)('the helper of a network by list', () => {
  it.each([
    ['stopped', 'os.kill(pid, signal.SIGSTOP)'],
    ['given other limits', 'resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0))'],
    ['ended', 'os.kill(pid, signal.SIGKILL)'],
  ])('works in a block after one by which it was %s', async (_, change) => {
    await using executor = executorWith({ warm: {}, network })
    const code = `
import os, resource, signal
for pid in [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) not in (1, os.getpid())]: ${change}
print('changed')`
    expect(await run(executor, code)).toMatchObject({ status: 'ok', output: 'changed\n' })
    const ask = `
import socket
connection = socket.create_connection(('127.0.0.1', 3128))
connection.sendall(b'GET http://other.example.com/ HTTP/1.1\\r\\nHost: other.example.com\\r\\n\\r\\n')
print(connection.recv(12))`
    // The end of the helper can be noticed later than that of the block.
    await expect.poll(async () => (await run(executor, ask)).output).toBe("b'HTTP/1.1 403'\n")
  })
})

describe.skipIf(isMissing)('a process in bubblewrap', () => {
  it('cannot trace, read or write process 1 of its sandbox', async () => {
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
    await sandbox.start()
    const signal = AbortSignal.timeout(15_000)
    const started = await sandbox.spawn(['python3', '-c', attack], { signal })
    const output = (await started.stdout.setEncoding('utf8').toArray()).join('')
    expect({ output, end: await started.ended }).toMatchObject({ output: '1 1\n', end: { exitCode: 0 } })
  })
})

function executorWith(options: LocalExecutorOptions): LocalCommandLineCodeExecutor {
  return new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', ...options })
}

async function run(executor: LocalCommandLineCodeExecutor, code: string) {
  // Process 1 is stopped where an attack succeeds.
  return await executor.execute([{ language: 'python', code }], { timeoutMs: 15_000 })
}
