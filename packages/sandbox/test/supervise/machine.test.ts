import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { controlledScript, findingMachine } from '../../src/supervise/process-scripts.ts'

const init = '1 (init) S 0 1 1 0 -1 4194560 0 0 0 0'

/**
 * Processes 1 and 2, as proc_pid_stat(5) shows them: on a machine, in a container, and with a name that looks like a thread of the kernel.
 * `hidepid=1` hides files of other users' processes, and `hidepid=2` their directories, too.
 */
const rows: readonly (readonly [
  where: string,
  stats: Readonly<Record<string, string | undefined>>,
  answer: string,
])[] = [
  ['a machine', { 1: init, 2: '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0' }, 'machine'],
  ['a container', { 1: init, 2: '2 (sleep) S 1 1 1 0 -1 4194304 0 0 0 0' }, 'other'],
  [
    'a container with such a name',
    { 1: init, 2: '2 (a) S 0 0 0 0 -1 2129984) S 1 1 1 0 -1 4194304 0' },
    'other',
  ],
  ['a container without a process 2', { 1: init }, 'other'],
  ['a machine that hides files of processes', { 1: undefined, 2: undefined }, 'machine'],
  ['a machine that hides processes', {}, 'machine'],
  ['a process 2 that is hidden', { 1: init, 2: undefined }, 'machine'],
]

it.each(rows)('%s is told from others by its process 2', async (_, stats, answer) => {
  await using processes = await mkdtempDisposable(join(tmpdir(), 'fenced-processes-'))
  for (const [id, stat] of Object.entries(stats)) {
    await mkdir(join(processes.path, id))
    if (stat !== undefined) await writeFile(join(processes.path, id, 'stat'), `${stat}\n`)
  }
  const script = `${findingMachine}\nif is_machine "$1"; then echo machine; else echo other; fi`
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', processes.path])
  expect(stdout.trim()).toBe(answer)
})

it('stops all processes at once only where it has asked', () => {
  const asked = controlledScript.indexOf('is_machine /proc || limit_identifies=')
  expect(asked).toBeGreaterThan(0)
  expect(controlledScript.indexOf('then kill_all_frozen')).toBeGreaterThan(asked)
})
