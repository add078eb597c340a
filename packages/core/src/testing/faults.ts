import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { CodeBlock } from '../code-block.ts'
import type { CodeExecutor, ExecutorCapabilities } from '../code-executor.ts'
import type { CodeResult } from '../code-result.ts'
import { processesLeft } from './processes.ts'
import { python } from './programs.ts'
import { uniqueSeconds } from './unique-seconds.ts'

/** One hostile or unlucky input. */
export interface Fault {
  readonly input: string
  /** What must be seen, in words, as {@link Fault.check} asserts it. */
  readonly seen: string
  /** `seconds` is a number that stands on the command line of everything that must not be left. */
  readonly blocks: (seconds: number) => readonly CodeBlock[]
  readonly check: (
    result: CodeResult,
    capabilities: ExecutorCapabilities,
    executor: CodeExecutor,
  ) => void | Promise<void>
  readonly unless?: (capabilities: ExecutorCapabilities) => string | undefined
  /** Whether what it leaves running belongs to the state, where state lives on: until `restart`. Default `false`. */
  readonly leavesState?: boolean
  /** In milliseconds. Default 3 000. */
  readonly timeoutMs?: number
}

/** A program whose own command line bears the number, because its file does. */
function named(seconds: number, ...lines: string[]): CodeBlock {
  return python(`# filename: fault-${seconds}.py`, ...lines)
}

function unlessStateless({ stateful }: ExecutorCapabilities): string | undefined {
  return stateful ? 'its blocks are not processes with files of their own' : undefined
}

const outside = `/tmp/fenced-fault-${Math.random().toString(36).slice(2)}`

/**
 * Thirteen inputs, at a time limit of three seconds unless they say another one. AutoGen 0.7.5 and AG2 0.14 each fail five to seven of them;
 * an executor that keeps the contract handles all.
 */
export const faults: readonly Fault[] = [
  {
    input: 'sleeps for hours',
    seen: 'timeout, 124, no process left',
    blocks: (seconds) => [named(seconds, 'import time', `time.sleep(${seconds})`)],
    check: timedOut,
  },
  {
    input: 'a grandchild holds stdout while the program ends',
    seen: 'ok with its output, without waiting for the grandchild, which is gone (with the state, where there is one)',
    leavesState: true,
    blocks: (seconds) => [
      python('import subprocess', `subprocess.Popen(['sleep', '${seconds}'])`, "print('done')"),
    ],
    check: (result) => assert.partialDeepStrictEqual(result, { status: 'ok', output: 'done\n' }),
  },
  {
    input: 'ignores SIGTERM',
    seen: 'timeout, 124, gone',
    blocks: (seconds) => [
      named(
        seconds,
        'import signal, time',
        'signal.signal(signal.SIGTERM, signal.SIG_IGN)',
        `time.sleep(${seconds})`,
      ),
    ],
    check: timedOut,
  },
  {
    input: 'a setsid daemon started before a timeout',
    seen: 'timeout, daemon gone',
    blocks: (seconds) => [
      python(
        'import subprocess, time',
        `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True)`,
        `time.sleep(${seconds})`,
      ),
    ],
    check: timedOut,
  },
  {
    input: 'prints "early", then sleeps',
    seen: 'timeout, and "early" is in the output',
    blocks: (seconds) => [named(seconds, 'import time', "print('early')", `time.sleep(${seconds})`)],
    check(result) {
      timedOut(result)
      assert.match(result.output, /^early\n/)
    },
  },
  {
    input: 'a secret in the host’s environment',
    seen: 'not visible',
    blocks: () => [python('import os', "print(os.environ.get('FENCED_CONTRACT_SECRET'))")],
    check: (result) => assert.partialDeepStrictEqual(result, { status: 'ok', output: 'None\n' }),
  },
  {
    input: '# filename: ../evil.py',
    seen: 'invalid with the reason, nothing written outside',
    blocks: () => [python('# filename: ../evil.py', "print('ran')")],
    check(result, _, executor) {
      refused(result, /evil\.py.*working directory/)
      if (executor.workDir !== undefined) assert.equal(existsSync(`${executor.workDir}/../evil.py`), false)
    },
  },
  {
    input: 'a planted link to /, then # filename: rootlink/tmp/…/evil.py',
    seen: 'invalid, nothing written outside',
    blocks: () => [
      python('import os', "os.symlink('/', 'rootlink')"),
      python(`# filename: rootlink${outside}/evil.py`, "print('ran')"),
    ],
    async check(result) {
      refused(result, /rootlink.*link/)
      const written = existsSync(outside)
      await rm(outside, { recursive: true, force: true })
      assert.equal(written, false)
    },
  },
  {
    input: 'bytes that are no UTF-8',
    seen: 'replacement characters, exit 0',
    blocks: () => [python('import os', "_ = os.write(1, b'a\\xff\\xfeb')")],
    check: (result) =>
      assert.partialDeepStrictEqual(result, { status: 'ok', exitCode: 0, output: 'a\uFFFD\uFFFDb' }),
  },
  {
    input: 'input()',
    seen: 'an error at once that names the reason, exit 1',
    blocks: () => [python('input()')],
    check(result) {
      assert.partialDeepStrictEqual(result, { status: 'error', exitCode: 1 })
      assert.match(result.output, /EOFError|StdinNotImplementedError/)
    },
  },
  {
    input: 'the network, where the place promises none',
    seen: 'refused, and the result says why',
    unless: ({ network }) => (network ? 'it promises no absence of a network' : undefined),
    // An address that is reserved for documentation (RFC 5737): it leads nowhere even where there is a network.
    blocks: () => [python('import socket', "socket.create_connection(('192.0.2.1', 80), timeout=2)")],
    check(result) {
      assert.equal(result.status, 'error')
      assert.match(result.output, /Network is unreachable|No route to host/i)
      assert.match(result.output, /no network here.*`network` option/)
    },
  },
  {
    input: '3,000 forks',
    seen: 'stopped by the process limit where there is one; else it ends; all gone',
    unless: unlessStateless,
    blocks: (seconds) => [
      named(
        seconds,
        'import os, time',
        'count = 0',
        'try:',
        '    for count in range(3000):',
        `        if os.fork() == 0: time.sleep(${seconds}); os._exit(0)`,
        'except OSError:',
        "    print('stopped')",
        "print('ended')",
      ),
    ],
    check(result, { limits }) {
      if (limits.processes) assert.match(result.output, /stopped/)
      else assert.ok(['ok', 'timeout'].includes(result.status), result.status)
    },
  },
  {
    input: '3 GB of memory touched',
    seen: 'out-of-memory where there is a limit; else it runs or ends',
    // Touching it takes seconds on a machine that has other things to do.
    timeoutMs: 30_000,
    blocks: () => [python("memory = b'x' * 3_000_000_000", 'print(len(memory))')],
    check(result, { limits }) {
      if (limits.memory) assert.partialDeepStrictEqual(result, { status: 'out-of-memory', exitCode: 137 })
      else assert.ok(['ok', 'timeout', 'error'].includes(result.status), result.status)
    },
  },
]

/** Gives a fault to an executor, asserts what must be seen, and says in a line what was. */
export async function tryFault(fault: Fault, executor: CodeExecutor): Promise<string> {
  const seconds = uniqueSeconds()
  process.env.FENCED_CONTRACT_SECRET = 'hunter2'
  const startedAt = performance.now()
  const result = await executor.execute(fault.blocks(seconds), { timeoutMs: fault.timeoutMs ?? 3_000 })
  const tookMs = performance.now() - startedAt
  delete process.env.FENCED_CONTRACT_SECRET
  await fault.check(result, executor.capabilities, executor)
  if (fault.leavesState === true && executor.capabilities.stateful) await executor.restart()
  assert.deepEqual(await processesLeft(`${seconds}`), [], 'a process is left')
  // A hang, not a speed: whoever waits for one of the sleepers waits for two hours.
  assert.ok(tookMs < 60_000, `it took ${tookMs} ms`)
  const after = await executor.execute([python('print(7)')])
  assert.partialDeepStrictEqual(
    after,
    { status: 'ok', output: '7\n' },
    'the executor is not usable afterwards',
  )
  return `${result.status} ${result.exitCode} after ${(tookMs / 1000).toFixed(1)} s`
}

function timedOut(result: CodeResult): void {
  assert.partialDeepStrictEqual(result, { status: 'timeout', exitCode: 124 })
  assert.match(result.output, /Timeout: /)
}

function refused(result: CodeResult, reason: RegExp): void {
  assert.partialDeepStrictEqual(result, { status: 'invalid', exitCode: 126 })
  assert.match(result.output, reason)
  assert.doesNotMatch(result.output, /^ran$/m)
}
