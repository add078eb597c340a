// @module-tag all

import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

/** What a copy of a process shares with it, loses, or must give up: a cell, one that is undone, one that follows, and what they print. */
const rows: readonly (readonly [
  name: string,
  before: string,
  undone: string,
  after: string,
  printed: string,
])[] = [
  [
    'a pipe to a process closes in the session',
    "p = subprocess.Popen(['cat'], stdin=-1)",
    'p.stdin.close(); print(p.wait(timeout=20))',
    'print("back")',
    '0 back',
  ],
  [
    'a port can be bound again',
    "s = socket.create_server(('127.0.0.1', 0)); port = s.getsockname()[1]",
    "s.close(); s = socket.create_server(('127.0.0.1', port)); print('bound')",
    'print("back")',
    'bound back',
  ],
  [
    'the other end of a socket sees the end',
    'a, b = socket.socketpair()',
    'a.close(); b.settimeout(20); print(b.recv(1))',
    'print(b.recv(1))',
    "b'' b''",
  ],
  [
    'a file lock is released',
    "f = open('lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX)",
    "f.close(); g = open('lock'); fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB); print('locked')",
    'print(f.closed)',
    'locked False',
  ],
  [
    'waiting for all children ends',
    "p = subprocess.Popen(['true'])",
    'try:\n  while True: os.wait()\nexcept ChildProcessError: print("none")',
    'print("back")',
    'none back',
  ],
  [
    'offsets of files',
    "f = open('f', 'w+'); f.write('one'); f.flush()",
    "f.write('two'); f.flush(); print(f.tell())",
    'print(f.tell())',
    '6 3',
  ],
  [
    'a file that was deleted',
    "f = open('f', 'w+'); f.write('abc'); f.flush()",
    "f.close(); os.remove('f'); print(os.path.exists('f'))",
    "f.write('d'); f.flush(); print(open('f').read())",
    'False abcd',
  ],
  [
    'the directory of the process',
    "os.mkdir('d'); os.chdir('d')",
    "os.chdir('..'); os.rmdir('d'); print(os.path.exists('d'))",
    "open('x', 'w').close(); print(os.listdir('../d')); os.chdir('..')",
    "False ['x']",
  ],
  [
    'a pipe of its own',
    'r, w = os.pipe()',
    "os.write(w, b'xyz'); print(os.read(r, 9))",
    "os.write(w, b'b'); print(os.read(r, 9))",
    "b'xyz' b'b'",
  ],
  [
    'epoll',
    'r, w = os.pipe(); e = select.epoll(); e.register(r, select.EPOLLIN)',
    'e.unregister(r); print(e.poll(0))',
    "os.write(w, b'b'); print(e.poll(20) == [(r, 1)])",
    '[] True',
  ],
  [
    'an event loop and its threads',
    'import asyncio; loop = asyncio.new_event_loop(); loop.run_until_complete(asyncio.to_thread(lambda: 6))',
    'loop.close(); print(loop.is_closed())',
    'print(loop.run_until_complete(asyncio.to_thread(lambda: 7)))',
    'True 7',
  ],
  [
    'a pool of threads',
    'from concurrent.futures import ThreadPoolExecutor; pool = ThreadPoolExecutor(2); list(pool.map(abs, [-1, 2]))',
    'pool.shutdown(); print("down")',
    'print(list(pool.map(abs, [-3, 2]))); pool.shutdown()',
    'down [3, 2]',
  ],
  [
    'a listener of log records',
    "import logging, logging.handlers, queue; q = queue.Queue(); got = []\nclass Collect(logging.Handler):\n  def emit(self, record): got.append(record.getMessage())\nlistener = logging.handlers.QueueListener(q, Collect()); listener.start(); log = logging.getLogger('x'); log.addHandler(logging.handlers.QueueHandler(q)); log.warning('a'); time.sleep(0.2)",
    "log.warning('b'); listener.stop(); print(got)",
    "log.warning('c'); listener.stop(); print(got)",
    "['a', 'b'] ['a', 'c']",
  ],
  [
    'a handler of SIGCHLD hears of no checkpoint',
    'import signal; hits = []; signal.signal(signal.SIGCHLD, lambda *_: hits.append(1))',
    'print(hits)',
    'print(hits); signal.signal(signal.SIGCHLD, signal.SIG_DFL)',
    '[] []',
  ],
  [
    'a timer does not fire in a checkpoint',
    'import signal; signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.setitimer(signal.ITIMER_REAL, 30)',
    'signal.setitimer(signal.ITIMER_REAL, 0); print("off")',
    'print(signal.setitimer(signal.ITIMER_REAL, 0)[0] > 1)',
    'off True',
  ],
  [
    'a duplicate of stdout',
    'fd = os.dup(1)',
    "os.write(fd, b'y\\n'); os.close(fd)",
    "os.write(fd, b'z\\n')",
    'y z',
  ],
  [
    'random numbers',
    'import random; random.seed(7)',
    'print(round(random.random(), 6))',
    'print(round(random.random(), 6))',
    '0.323833 0.323833',
  ],
  [
    'a subreaper',
    'import ctypes; libc = ctypes.CDLL(None); libc.prctl(36, 1)',
    'x = ctypes.c_int(); libc.prctl(37, ctypes.byref(x)); print(x.value)',
    'x = ctypes.c_int(); libc.prctl(37, ctypes.byref(x)); print(x.value); libc.prctl(36, 0)',
    '1 1',
  ],
]

describe.skipIf(process.platform !== 'linux' || python.missing)('a copy of a session', () => {
  const executor = new LocalCommandLineCodeExecutor({ stateful: true })
  const cell = async (code: string) => {
    const { blocks } = await executor.execute([{ language: 'python', code }])
    expect(blocks[0]?.status).toBe('ok')
    return blocks[0]?.stdout.trim()
  }

  beforeAll(async () => {
    await cell('import fcntl, os, select, socket, subprocess, threading, time')
    await executor.session?.checkpoint('start')
  })
  afterAll(() => executor.stop())

  test.each(rows)('%s', async (_, before, undone, after, printed) => {
    await executor.session?.restore('start')
    await cell(before)
    const first = await cell(undone)
    await executor.session?.undo()
    expect(`${first} ${await cell(after)}`).toBe(printed)
  })
})

describe.skipIf(process.platform !== 'linux' || python.missing)('checkpoints under pressure', () => {
  const run = (executor: LocalCommandLineCodeExecutor) => async (code: string) => {
    const { blocks } = await executor.execute([{ language: 'python', code }])
    return blocks[0] as BlockResult
  }

  test('a killed checkpoint is named, and the session continues', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const cell = run(executor)
    await cell('x = 1')
    await executor.session?.checkpoint('one')
    await cell('import os, signal\nx = 2')
    // The siblings of the running copy, except the newest one.
    const killed = await cell(`
keeper = os.getppid()
children = [int(pid) for pid in open(f'/proc/{keeper}/task/{keeper}/children').read().split()]
for pid in children:
    if pid != os.getpid(): os.kill(pid, signal.SIGKILL)
print(len(children) > 2)`)
    expect(killed.stdout).toBe('True\n')
    expect((await cell('print(x)')).stdout).toBe('2\n')
    await expect(executor.session?.restore('one')).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
    const { notices } = await cell('print(x)')
    expect([...notices.map(({ code }) => code)]).toEqual([])
    // Blocks after the kill have checkpoints again.
    expect((await executor.session?.undo())?.notices.map(({ code }) => code)).toEqual(['state-restored'])
  })

  test.skipIf(bubblewrap.missing || resourceLimits.missing)(
    'no process can be made: the block has no checkpoint, and says so',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({
        stateful: true,
        isolation: 'bubblewrap',
        pids: 24,
      })
      const cell = run(executor)
      await cell('x = 1')
      await cell(
        'import subprocess\nprocesses = []\ntry:\n    while True: processes.append(subprocess.Popen(["sleep", "600"]))\nexcept OSError: pass',
      )
      const next = await cell('print(x)')
      expect(next.stdout).toBe('1\n')
      expect(next.notices.map(({ code }) => code)).toContain('checkpoint-dropped')
      await expect(executor.session?.undo()).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
      expect((await executor.session?.undo(2))?.notices.map(({ code }) => code)).toEqual(['state-restored'])
    },
  )

  test('the budget for memory holds over blocks that rewrite it', {
    tags: ['nightly'],
    timeout: 600_000,
  }, async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true, checkpointBytes: 64 * 2 ** 20 })
    const cell = run(executor)
    await cell('data = bytearray(100 * 2**20)')
    for (let count = 0; count < 200; count++) {
      await cell(
        `data[${count} * 2**19 % (90 * 2**20):][:0]\nfor at in range(0, 10 * 2**20, 4096): data[at] = ${count % 256}`,
      )
    }
    const measured = await cell(`
import os
keeper = os.getppid()
pids = open(f'/proc/{keeper}/task/{keeper}/children').read().split()
sizes = [dict((line.split()[0], int(line.split()[1])) for line in open(f'/proc/{pid}/smaps_rollup').readlines()[1:]) for pid in pids]
own = [size for pid, size in zip(pids, sizes) if int(pid) == os.getpid()][0]
print(sum(size['Pss:'] for size in sizes) - own['Rss:'])`)
    // Some blocks may run before the keeper has measured.
    expect(Number(measured.stdout)).toBeLessThan(2 * 64 * 1024)
  })
})
