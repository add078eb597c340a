import { execFileSync, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CodeExecutor } from '@fenced/core'

/** Prints how many modules were loaded besides Node's own. */
const countModules = `
  import { registerHooks } from 'node:module'
  let count = 0
  const load = (url, context, next) => { if (!url.startsWith('node:')) count++; return next(url, context) }
  registerHooks({ load })
  process.on('exit', () => process.stderr.write('\\n' + count))
`

/** Of a program of Node with these arguments. */
export function modulesOf(...args: readonly string[]): number {
  const hooks = `data:text/javascript,${encodeURIComponent(countModules)}`
  const { stderr } = spawnSync(
    process.execPath,
    ['--conditions=@fenced/source', '--import', hooks, ...args],
    { encoding: 'utf8', cwd: import.meta.dirname },
  )
  return Number(stderr.slice(stderr.lastIndexOf('\n')))
}

/** Of a warm block that prints a number, on average. The resident Python is asked, whose children the blocks are. */
export async function pageFaultsOfBlock(executor: CodeExecutor): Promise<number> {
  const run = async (code: string) => (await executor.execute([{ language: 'python', code }])).output.trim()
  // Of the children that have ended (proc_pid_stat(5)).
  const faults = async () =>
    Number(
      await run(`import os; print(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[8])`),
    )
  for (let block = 0; block < 5; block++) await run('print(1)')
  const before = await faults()
  for (let block = 0; block < 20; block++) await run('print(1)')
  // The program that asked first is one of them, too.
  return ((await faults()) - before) / 21
}

/** Calls whose number depends on how long a process waits. In such a time a session copies pages of its memory (`written.py`). */
const waiting = 'futex,epoll_pwait,epoll_wait,poll,restart_syscall,sched_yield,madvise,pread64'

/** Of a program of Node with these arguments and of all that it starts, without those that wait. `log` is the path of a file. */
export async function systemCallsOf(log: string, ...args: readonly string[]): Promise<number> {
  return (await systemCalls(log, args)).length
}

/**
 * Of a block that prints a number, in this process and in what it starts, on average of the best part. On a busy machine, blocks that last
 * longer make more calls. A start is not counted: it varies more.
 */
export async function systemCallsOfBlock(
  log: string,
  executor: 'local' | 'jupyter' | 'session',
  python: string,
): Promise<number> {
  const [parts, blocks] = [5, 20]
  const calls = await systemCalls(log, [
    join(import.meta.dirname, 'repeated-block.ts'),
    ...[executor, python, `${parts}`, `${blocks}`],
  ])
  const looks = calls.flatMap((call, index) => (call.includes('"/counted-part"') ? [index] : []))
  const counts = looks.slice(1).map((end, part) => end - (looks[part] ?? 0))
  return Math.min(...counts) / blocks
}

/** A line for each call, in their order. */
async function systemCalls(log: string, args: readonly string[]): Promise<readonly string[]> {
  const traced = ['-f', '-qq', '-e', `trace=!${waiting}`, '-e', 'signal=none', '-o', log]
  // Each more folder of PATH is more to search.
  const env = { HOME: homedir(), PATH: '/usr/local/bin:/usr/bin:/bin' }
  execFileSync('strace', [...traced, process.execPath, '--conditions=@fenced/source', ...args], { env })
  // A call that another process interrupts has a second line.
  return (await readFile(log, 'latin1')).split('\n').filter((line) => !/ resumed>|^$/.test(line))
}
