import { release } from 'node:os'
import type { InputRequest } from '@fenced/core'
import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterAll, describe, expect, test, vi } from 'vitest'

const executor = new LocalCommandLineCodeExecutor({ stateful: true, killGraceMs: 20_000 })

afterAll(() => executor.stop())

async function cell(code: string, timeoutMs = 20_000, language = 'python'): Promise<BlockResult> {
  const { blocks } = await executor.execute([{ language, code }], { timeoutMs })
  return blocks[0] as BlockResult
}

const shown = ({ results }: BlockResult) => results[0]?.data['text/plain']
const codesOf = ({ notices }: BlockResult) => notices.map(({ code }) => code)

describe.skipIf(process.platform !== 'linux')('a session in a local process', () => {
  test('keeps variables, and shows the value of the last line', async () => {
    expect(executor.capabilities).toMatchObject({
      stateful: ['python'],
      richOutput: true,
      inputRequests: true,
    })
    expect(await cell('x = 41')).toMatchObject({ status: 'ok', results: [], notices: [] })
    const value = { kind: 'value', data: { 'text/plain': '42' } }
    expect(await cell('print("first")\nx + 1')).toMatchObject({ stdout: 'first\n', results: [value] })
    expect(await cell('x + 1;')).toMatchObject({ status: 'ok', results: [] })
  })

  test('reports an error with the lines of all cells, and goes on', async () => {
    await cell('def divide(a, b):\n    return a / b')
    const failed = await cell('divide(1, 0)')
    expect(failed).toMatchObject({ status: 'error', exitCode: 1 })
    expect(failed.error).toMatchObject({
      name: 'ZeroDivisionError',
      message: 'division by zero',
      traceback: [
        { file: 'block 1', line: 1, blockIndex: 0, code: 'divide(1, 0)' },
        { line: 2, function: 'divide', code: 'return a / b' },
      ],
    })
    expect(failed.stderr).toContain('    return a / b\n')
    expect((await cell('divide(6, 3)')).results[0]?.data).toEqual({ 'text/plain': '2.0' })
  })

  test('keeps variables when a cell is interrupted, and says so', async () => {
    await cell('kept = "kept"')
    const stopped = await cell('import time\nwhile True:\n    time.sleep(60)', 300)
    expect(stopped.status).toBe('timeout')
    expect(codesOf(stopped)).toEqual(['state-kept', 'timeout'])
    expect((await cell('kept')).results[0]?.data).toEqual({ 'text/plain': "'kept'" })
  })

  test('restores variables when a cell ends Python, and says so', async () => {
    const ended = await cell('import os\nos._exit(3)')
    expect(ended).toMatchObject({ status: 'error', exitCode: 3 })
    expect(codesOf(ended)).toEqual(['state-restored'])
    expect(await cell('"kept" in globals()')).toMatchObject({
      notices: [],
      results: [{ data: { 'text/plain': 'True' } }],
    })
  })

  test('reports what a thread writes after its cell at the start of the next cell', async () => {
    await cell(lateThread)
    // The thread has written before the shell ends.
    await cell('touch go; while [ ! -e done ]; do :; done', 20_000, 'sh')
    const next = await cell('print("own")')
    expect(next.stdout).toBe('own\n')
    expect(next.notices).toMatchObject([{ code: 'late-output', data: { output: 'late\n', bytes: '5' } }])
  })

  test('names processes that a cell leaves running', async () => {
    const left = await cell('import subprocess\nserver = subprocess.Popen(["sleep", "600"])')
    expect(left.notices).toMatchObject([{ code: 'still-running', data: { commands: 'sleep 600' } }])
    expect((await cell('server.kill(); server.wait()')).notices).toEqual([])
    const ended =
      'ended = subprocess.Popen(["true"])\nos.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)'
    expect((await cell(`import os\n${ended}`)).notices).toEqual([])
    const fork = await cell('if (child := os.fork()) == 0:\n    while True: pass')
    expect(fork.notices).toMatchObject([
      { data: { commands: expect.stringMatching(/^a fork of Python, process \d+$/) } },
    ])
    expect((await cell('os.kill(child, 9); os.waitpid(child, 0); child > 0')).notices).toEqual([])
  })

  // See `written.py`.
  test.skipIf(release().localeCompare('5.14', 'en', { numeric: true }) < 0)(
    'copies written pages ahead',
    async () => {
      const writes =
        'from resource import RUSAGE_SELF, getrusage\nbefore = getrusage(RUSAGE_SELF).ru_minflt\nfor at in range(0, 2**22, 2**14): data[at] ^= 1\ngetrusage(RUSAGE_SELF).ru_minflt - before'
      await cell('data = bytearray(2**22)')
      // Each of the 256 writes would copy a page. Pages are copied while nothing runs.
      await vi.waitFor(async () => expect(Number(shown(await cell(writes)))).toBeLessThan(64), {
        ...{ timeout: 60_000, interval: 200 },
      })
    },
  )

  test('refuses a magic with its line and an alternative', async () => {
    const refused = await cell('x = 1\n%timeit x')
    expect(refused.error?.message).toMatch(/^Line 2, `%timeit`: .* Write it in Python/)
    expect((await cell('%matplotlib inline\n1')).status).toBe('ok')
    expect((await cell('name = "x"\n!echo $name {name}')).stdout).toBe('x x\n')
  })

  test('shows results in the order of the output, and says which representation fails', async () => {
    const broken =
      'class Broken:\n    def _repr_html_(self): return 1 / 0\n    def __repr__(self): return "text"'
    const shown = await cell(`${broken}\nprint("one")\ndisplay(Broken())\nprint("two")`)
    expect(shown.output).toMatch(/^one\nBroken\._repr_html_ failed: .*\n(?:.*\n)*two\n/)
    expect(shown.results).toEqual([{ kind: 'display', data: { 'text/plain': 'text' } }])
  })

  test('asks a person for lines', async () => {
    const ask = { input: async () => ({ decision: 'answer', text: 'Ada' }) as const }
    await using asking = new LocalCommandLineCodeExecutor({ stateful: true, ask })
    const code = 'import getpass\n(input("Name? "), getpass.getpass("Secret? "))'
    const { blocks } = await asking.execute([{ language: 'python', code }])
    expect(blocks).toMatchObject([
      { stdout: 'Name? Ada\nSecret? \n', results: [{ data: { 'text/plain': "('Ada', 'Ada')" } }] },
    ])
  })

  test('gives a question no answer to an earlier one that the program gave up', async () => {
    const first = Promise.withResolvers<string>()
    const input = async ({ prompt }: InputRequest) => {
      if (prompt === 'First? ') return { decision: 'answer', text: await first.promise } as const
      first.resolve('one')
      await first.promise
      return { decision: 'answer', text: 'two' } as const
    }
    await using asking = new LocalCommandLineCodeExecutor({ stateful: true, ask: { input } })
    const code = `
import signal
def give_up(*_): raise TimeoutError
signal.signal(signal.SIGALRM, give_up)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try: input("First? ")
except TimeoutError: pass
input("Second? ")`
    const { blocks } = await asking.execute([{ language: 'python', code }])
    expect(blocks).toMatchObject([{ results: [{ data: { 'text/plain': "'two'" } }] }])
  })

  test('runs other languages beside it, which do not end it', async () => {
    await cell('x = 1\nopen("from-python", "w").close()')
    expect(await cell('ls from-python; (sleep 60 &) ; echo done', 20_000, 'sh')).toMatchObject({
      stdout: 'from-python\ndone\n',
    })
    expect((await cell('x')).results[0]?.data).toEqual({ 'text/plain': '1' })
  })
})

const lateThread = `
import os, threading
def write():
    while not os.path.exists("go"): pass
    print("late")
    open("done", "w").close()
threading.Thread(target=write).start()
`
