import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodeBlock, CodeExecutor, CodeResult, ExecutorCapabilities, Notice } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { noticeOf } from './notice-of.ts'
import type { ContractPrograms } from './programs.ts'
import { blockIn, extensionOf, type SubjectLanguage } from './subject-language.ts'

/** One hostile or unlucky input. */
export interface Fault {
  readonly input: string
  /** The expected outcome in words, as {@link Fault.check} asserts it. */
  readonly seen: string
  /** The required programs. The fault is skipped if one is missing. */
  readonly needs: ReadonlyArray<keyof ContractPrograms>
  readonly blocks: (parts: FaultParts) => readonly CodeBlock[]
  readonly check: (
    result: CodeResult,
    capabilities: ExecutorCapabilities,
    executor: CodeExecutor,
  ) => void | Promise<void>
  readonly unless?: (capabilities: ExecutorCapabilities, language: string) => string | undefined
  /** Whether what it leaves running belongs to the state, where state lives on: until `restart`. Default `false`. */
  readonly leavesState?: boolean
  /** In milliseconds. Default 30 000: enough for a busy machine. */
  readonly timeoutMs?: number
  /** Whether it takes so much of a machine that two at once could be too much. Default `false`. */
  readonly isHeavy?: boolean
}

interface FaultParts {
  /** All programs that the fault needs. */
  readonly programs: ContractPrograms
  readonly block: (...lines: string[]) => CodeBlock
  /** A program whose own command line has the number in it, because its file has. */
  readonly named: (...lines: string[]) => CodeBlock
  /** A number on the command line of everything that must not be left. */
  readonly seconds: number
}

const outside = `/tmp/fenced-fault-${Math.random().toString(36).slice(2)}`

/** The time limit of what has to be stopped, in milliseconds. */
const shortMs = 1_000
/** The same where it should have done something before. */
const beginningMs = 2_000
/** The same where it must have done something before, also behind ssh on a machine that has much else to do. */
const printingMs = 6_000

/**
 * Thirteen inputs. AutoGen 0.7.5 and AG2 0.14 each fail five to seven of them; an executor that keeps the contract
 * handles all.
 */
export const faults: readonly Fault[] = [
  {
    input: 'sleeps for hours',
    timeoutMs: shortMs,
    seen: 'timeout, 124, no process left',
    needs: ['sleep'],
    blocks: ({ named, programs, seconds }) => [named(programs.sleep(seconds))],
    check: timedOut,
  },
  {
    input: 'a grandchild holds stdout while the program ends',
    seen: 'ok with its output, without waiting for the grandchild, which is gone (with the state of a stateful executor)',
    leavesState: true,
    needs: ['startChild', 'print'],
    blocks: ({ block, programs, seconds }) => [block(programs.startChild(seconds), programs.print('done'))],
    check: (result) => assert.partialDeepStrictEqual(result, { status: 'ok', output: 'done\n' }),
  },
  {
    input: 'ignores SIGTERM',
    timeoutMs: shortMs,
    seen: 'timeout, 124, gone',
    needs: ['ignoreTermination', 'sleep'],
    blocks: ({ named, programs, seconds }) => [named(programs.ignoreTermination, programs.sleep(seconds))],
    check: timedOut,
  },
  {
    input: 'a setsid daemon started before a timeout',
    timeoutMs: beginningMs,
    seen: 'timeout, daemon gone',
    needs: ['startDaemon', 'sleep'],
    blocks: ({ block, programs, seconds }) => [block(programs.startDaemon(seconds), programs.sleep(seconds))],
    check: timedOut,
  },
  {
    input: 'prints "early", then sleeps',
    timeoutMs: printingMs,
    seen: 'timeout, and "early" is in the output',
    needs: ['print', 'sleep'],
    blocks: ({ named, programs, seconds }) => [named(programs.print('early'), programs.sleep(seconds))],
    check(result) {
      timedOut(result)
      assert.match(result.output, /^early\n/)
    },
  },
  {
    input: 'a secret in the host’s environment',
    seen: 'not visible',
    needs: ['printEnvironment'],
    blocks: ({ block, programs }) => [block(programs.printEnvironment('FENCED_CONTRACT_SECRET'))],
    check: (result) => assert.partialDeepStrictEqual(result, { status: 'ok', output: 'unset\n' }),
  },
  {
    input: '# filename: ../evil.py',
    seen: 'invalid with the reason, nothing written outside',
    needs: ['comment', 'print'],
    blocks: ({ block, programs }) => [block(programs.comment('filename: ../evil.py'), programs.print('ran'))],
    check(result, _, executor) {
      assert.equal(refused(result).data?.path, '../evil.py')
      if (executor.workDir !== undefined) assert.equal(existsSync(`${executor.workDir}/../evil.py`), false)
    },
  },
  {
    input: 'a planted link to /, then # filename: rootlink/tmp/…/evil.py',
    seen: 'invalid, nothing written outside',
    needs: ['link', 'comment', 'print'],
    blocks: ({ block, programs }) => [
      block(programs.link('/', 'rootlink')),
      block(programs.comment(`filename: rootlink${outside}/evil.py`), programs.print('ran')),
    ],
    async check(result, _, executor) {
      const written = existsSync(outside)
      await rm(outside, { recursive: true, force: true })
      if (executor.workDir !== undefined) await rm(join(executor.workDir, 'rootlink'), { force: true })
      assert.equal(refused(result).data?.path, 'rootlink')
      assert.equal(written, false)
    },
  },
  {
    input: 'bytes that are not UTF-8',
    seen: 'replacement characters, exit 0',
    needs: ['write'],
    blocks: ({ block, programs }) => [
      block(programs.write([{ stream: 'stdout', bytes: Uint8Array.of(0x61, 0xff, 0xfe, 0x62) }], 0)),
    ],
    check: (result) =>
      assert.partialDeepStrictEqual(result, { status: 'ok', exitCode: 0, output: 'a\uFFFD\uFFFDb' }),
  },
  {
    input: 'input()',
    seen: 'the end of the input at once: nothing, or an error that names it',
    needs: ['readLine'],
    blocks: ({ block, programs }) => [block(programs.readLine)],
    check(result) {
      if (result.status === 'ok') assert.equal(result.output, 'nothing\n')
      else {
        assert.partialDeepStrictEqual(result, { status: 'error', exitCode: 1 })
        assert.match(result.output, /EOFError|StdinNotImplementedError/)
      }
    },
  },
  {
    input: 'the network, where the executor promises none',
    seen: 'refused, and the result says why',
    needs: ['connect'],
    unless: ({ network }) => (network === 'none' ? undefined : 'it promises no absence of a network'),
    // An address that is reserved for documentation (RFC 5737): it leads nowhere even where there is a network.
    blocks: ({ block, programs }) => [block(programs.connect('192.0.2.1', 80))],
    check(result) {
      assert.equal(result.status, 'error')
      assert.match(result.output, /Network is unreachable|No route to host|ENETUNREACH|EHOSTUNREACH/i)
      noticeOf(result, 'no-network')
    },
  },
  {
    input: '3,000 forks',
    timeoutMs: beginningMs,
    seen: 'stopped by the process limit, if any; else it ends; all gone',
    needs: ['fork'],
    isHeavy: true,
    unless: ({ stateful }, language) =>
      stateful.includes(language) ? 'its blocks are not processes with separate files' : undefined,
    blocks: ({ named, programs, seconds }) => [named(programs.fork(3_000, seconds))],
    check(result, { limits }) {
      // The program prints `stopped`; a shell has its own words, and ends.
      if (limits.processes) assert.ok(result.status === 'timeout' || /^stopped$|fork/m.test(result.output))
      else assert.ok(['ok', 'timeout'].includes(result.status), result.status)
    },
  },
  {
    input: '3 GB of memory touched',
    seen: 'out-of-memory where there is a limit; else it runs or ends',
    // Touching it takes seconds on a machine that has other things to do.
    needs: ['fillMemory'],
    isHeavy: true,
    blocks: ({ block, programs }) => [block(programs.fillMemory(3_000_000_000))],
    check(result, { limits }) {
      if (limits.memory) assert.partialDeepStrictEqual(result, { status: 'out-of-memory', exitCode: 137 })
      else assert.ok(['ok', 'timeout', 'error'].includes(result.status), result.status)
    },
  },
]

/** Gives a fault to an executor, asserts what must be seen, and says in a line what was. */
export async function tryFault(
  fault: Fault,
  language: SubjectLanguage,
  executor: CodeExecutor,
): Promise<string> {
  const seconds = uniqueSeconds()
  const programs = language.programs as ContractPrograms
  const block = (...lines: string[]) => blockIn(language, lines)
  const { comment } = language.programs
  const directive =
    comment === undefined ? [] : [comment(`filename: fault-${seconds}.${extensionOf(language)}`)]
  const blocks = fault.blocks({
    programs,
    block,
    named: (...lines) => block(...directive, ...lines),
    seconds,
  })
  // It stays: the faults of another language may run at the same time.
  process.env.FENCED_CONTRACT_SECRET = 'hunter2'
  const run = async () => {
    const startedAt = performance.now()
    const result = await executor.execute(blocks, { timeoutMs: fault.timeoutMs ?? 30_000 })
    return { result, tookMs: performance.now() - startedAt }
  }
  const { result, tookMs } = await (fault.isHeavy === true ? alone(run) : run())
  await fault.check(result, executor.capabilities, executor)
  if (fault.leavesState === true && executor.capabilities.stateful.includes(language.id))
    await executor.restart()
  assert.deepEqual(await processesLeft(`${seconds}`), [], 'a process is left')
  // A hang, not a speed: an executor that waits for one of the sleepers waits for two hours.
  assert.ok(tookMs < 60_000, `it took ${tookMs} ms`)
  const after = await executor.execute([block(programs.print('7'))])
  assert.partialDeepStrictEqual(
    after,
    { status: 'ok', output: '7\n' },
    'the executor is not usable afterwards',
  )
  return `${result.status} ${result.exitCode} after ${(tookMs / 1000).toFixed(1)} s`
}

let lastHeavy: Promise<unknown> = Promise.resolve()

/** Runs one after the other what is given to it. */
function alone<Result>(run: () => Promise<Result>): Promise<Result> {
  const result = lastHeavy.then(run)
  lastHeavy = result.catch(() => {})
  return result
}

function timedOut(result: CodeResult): void {
  assert.partialDeepStrictEqual(result, { status: 'timeout', exitCode: 124 })
  noticeOf(result, 'timeout')
}

function refused(result: CodeResult): Notice {
  assert.partialDeepStrictEqual(result, { status: 'invalid', exitCode: 126 })
  assert.doesNotMatch(result.output, /^ran$/m)
  return noticeOf(result, 'file-name')
}
