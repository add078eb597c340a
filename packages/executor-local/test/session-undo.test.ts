import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterEach, describe, expect, test, vi } from 'vitest'

let executor: LocalCommandLineCodeExecutor

afterEach(() => executor.stop())

/** Starts a session. */
function start(options = {}): void {
  executor = new LocalCommandLineCodeExecutor({ stateful: true, killGraceMs: 500, ...options })
}

async function cell(code: string, language = 'python'): Promise<BlockResult> {
  const { blocks } = await executor.execute([{ language, code }], { timeoutMs: 20_000 })
  return blocks[0] as BlockResult
}

const shown = ({ results }: BlockResult) => results[0]?.data['text/plain']
const codesOf = ({ notices }: BlockResult) => notices.map(({ code }) => code)
const undo = async (steps?: number) => (await executor.session?.undo(steps))?.notices
const restored = (message: string, block: number, notUndone?: string) => [
  {
    code: 'state-restored',
    message,
    data: { block: `${block}`, ...(notUndone === undefined ? {} : { notUndone }) },
  },
]

describe.skipIf(process.platform !== 'linux')('undo in a local process', () => {
  test('restores variables and files, of blocks in any language', async () => {
    start()
    await cell('echo one > a.txt', 'sh')
    await cell('x = [1]')
    await cell('x.append(2)\nopen("a.txt", "a").write("two")\nopen("b.txt", "w").close()')
    await cell('rm a.txt; mkdir d', 'sh')
    expect(await undo(2)).toEqual(
      restored('Blocks 3 to 4 were undone. Variables and files are as after block 2.', 2),
    )
    expect(shown(await cell('import os\nx, open("a.txt").read(), os.listdir()'))).toBe(
      "([1], 'one\\n', ['a.txt'])",
    )
    expect(await undo(3)).toEqual(
      restored('Blocks 1 to 3 were undone. Variables and files are as at the start of the session.', 0),
    )
    expect(shown(await cell('"x" in globals(), __import__("os").listdir()'))).toBe('(False, [])')
    await expect(undo(2)).rejects.toMatchObject({
      code: 'NO_CHECKPOINT',
      data: { reason: 'the session has run 1 blocks' },
    })
  })

  test('keeps files that were put there between two blocks', async () => {
    start()
    await cell('x = 1')
    writeFileSync(join(executor.workDir ?? '', 'input.txt'), 'given')
    await cell('x = 2\nopen("input.txt", "w").write("changed")')
    await undo()
    expect(shown(await cell('x, open("input.txt").read()'))).toBe("(1, 'given')")
  })

  test('returns to named checkpoints, which later ones do not replace', async () => {
    start({ checkpoints: 2 })
    await cell('x = 0')
    await executor.session?.checkpoint('zero')
    for (let count = 0; count < 4; count++) await cell('x += 1')
    await expect(undo(3)).rejects.toMatchObject({
      code: 'NO_CHECKPOINT',
      data: { reason: 'later checkpoints have replaced it' },
    })
    expect((await executor.session?.restore('zero'))?.notices).toEqual(
      restored('The checkpoint "zero" was restored. Variables and files are as after block 1.', 1),
    )
    expect(shown(await cell('x'))).toBe('0')
    await expect(executor.session?.restore('none')).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
  })

  test('returns to one state several times, each time with separate files and pipes', async () => {
    start()
    await cell('import os\nx = [1]\nf = open("f", "w+")\nf.write("one")\nf.flush()')
    await cell('r, w = os.pipe()\nw = os.write(w, b"written")')
    const use = 'x.append(2)\nf.write("two")\nf.flush()\nx, f.tell(), os.read(r, 100)'
    const closed = 'connections and pipes: those of earlier blocks are closed. Open them again.'
    for (const notUndone of [closed, undefined, undefined]) {
      expect(shown(await cell(use))).toBe("([1, 2], 6, b'written')")
      const rest = notUndone === undefined ? '' : ` Not undone: ${notUndone}`
      expect(await undo()).toEqual(
        restored(`Block 3 was undone. Variables and files are as after block 2.${rest}`, 2, notUndone),
      )
    }
    expect(shown(await cell('os.read(r, 100)'))).toBe("b'written'")
    // It is the only child of the keeper beside the checkpoints of blocks 1 and 2.
    const children = 'len(open(f"/proc/{os.getppid()}/task/{os.getppid()}/children").read().split())'
    await undo()
    expect(shown(await cell(children))).toBe('3')
  })

  test('says what it does not undo', async () => {
    start()
    const send = { description: 'Sends.', inputSchema: { type: 'object' }, execute: () => 'sent' } as const
    await cell(`
import mmap, os, socket, subprocess, threading, time
server = socket.create_server(('127.0.0.1', 0))
thread = threading.Thread(target=time.sleep, args=(600,), name='waits', daemon=True)
thread.start()
shared = mmap.mmap(os.open('shared', os.O_RDWR | os.O_CREAT), 0) if os.path.exists('shared') else None
process = subprocess.Popen(['sleep', '600'])`)
    const { blocks } = await executor.execute(
      [{ language: 'python', code: 'from tools import send\nsend()\nsend()' }],
      { tools: { send } },
    )
    expect(blocks[0]?.status).toBe('ok')
    const notUndone =
      'calls of tools (2 of `send`). running processes: `sleep 600`. Their end cannot be seen from this state. threads: `waits` no longer run. connections and pipes: those of earlier blocks are closed. Open them again.'
    expect(await undo()).toEqual(
      restored(
        `Block 2 was undone. Variables and files are as after block 1. Not undone: ${notUndone}`,
        1,
        notUndone,
      ),
    )
    expect(shown(await cell('thread.is_alive(), server.fileno() > 0, process.poll()'))).toBe(
      '(False, True, 0)',
    )
  })

  test('restores the state before a block that ends Python', async () => {
    start()
    await cell('x = [1]\nopen("a.txt", "w").write("one")')
    const ended = await cell('x.append(2)\nopen("a.txt", "w").write("two")\nimport os\nos._exit(3)')
    expect(ended).toMatchObject({ status: 'error', exitCode: 3 })
    expect(ended.notices).toEqual(
      restored('Python ended with exit code 3. Variables and files are as after block 1.', 1),
    )
    expect(shown(await cell('x, open("a.txt").read()'))).toBe("([1], 'one')")
    const controller = new AbortController()
    const code =
      'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint("begun", flush=True)\nwhile True: pass'
    const execution = executor.execute([{ language: 'python', code }], { signal: controller.signal })
    for await (const { type } of execution) if (type === 'stdout') controller.abort()
    const { blocks } = await execution
    expect(codesOf(blocks[0] as BlockResult)).toEqual(['state-restored', 'cancelled'])
    expect(shown(await cell('x'))).toBe('[1]')
  })

  test('restores the last state when Python ends between two blocks', async () => {
    start()
    await cell('x = 1')
    const { stdout: pid } = await cell(
      'import os, threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), os._exit(4))).start()\nprint(os.getpid())',
    )
    // The keeper reports the end when it has waited for the process, which is gone then.
    await vi.waitFor(() => expect(existsSync(`/proc/${pid.trim()}`)).toBe(false), { timeout: 120_000 })
    await executor.session?.variables()
    const next = await cell('x')
    expect(next.notices.map(({ code, message }) => [code, message])).toEqual([
      [
        'state-restored',
        'Python ended with exit code 4 after the last block. Variables and files are as after block 2. Not undone: threads: `Thread-1 (<lambda>)` no longer run.',
      ],
    ])
    expect(shown(next)).toBe('1')
  })

  test('carries variables over where a copy could not continue, and names those that are lost', async () => {
    start()
    await cell(`
import multiprocessing
pool = multiprocessing.Pool(1)
def double(x): return 2 * x
numbers = [double(1)]; same = numbers; lines = open('/dev/null')`)
    await cell('numbers.append(5)')
    expect((await undo())?.map(({ code, data }) => [code, data?.lost])).toEqual([
      ['state-reloaded', 'pool, lines'],
    ])
    expect(shown(await cell('double(4), numbers, same is numbers, "pool" in globals()'))).toBe(
      '(8, [2], True, False)',
    )
  })

  test('makes no checkpoints with `checkpoints: 0`, and loses variables with Python', async () => {
    start({ checkpoints: 0 })
    await cell('x = 1')
    await expect(undo()).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
    expect(codesOf(await cell('import os\nos._exit(3)'))).toEqual(['state-lost'])
  })

  test('makes one checkpoint for each call with `checkpoint: "call"`', async () => {
    start({ checkpoint: 'call' })
    const block = (code: string) => ({ language: 'python', code })
    await executor.execute([block('x = 1'), block('x = 2')])
    await executor.execute([block('x = 3'), block('x = 4')])
    await expect(undo(1)).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
    await undo(2)
    expect(shown(await cell('x'))).toBe('2')
  })

  test('lists variables without asking objects of the program', async () => {
    start()
    await cell('x = [1, 2]\nclass Quiet:\n    def __repr__(self): print("asked"); return ""\nquiet = Quiet()')
    const variables = await executor.session?.variables()
    expect(variables?.map(({ name, type, preview }) => [name, type, preview])).toEqual([
      ['x', 'list', '[1, 2]'],
      ['Quiet', 'type', '<class Quiet>'],
      ['quiet', 'Quiet', '<Quiet>'],
    ])
    expect(await cell('1')).toMatchObject({ stdout: '', notices: [] })
  })
})
