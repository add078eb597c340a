import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { controlledScript, findingMachine } from '../../src/supervise/process-scripts.ts'

/** Process 2, as proc_pid_stat(5) shows it: on a machine, in a container, and with a name that looks like a thread of the kernel. */
const rows: readonly (readonly [where: string, stat: string | undefined, answer: string])[] = [
  ['a machine', '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0', 'machine'],
  ['a container', '2 (sleep) S 1 1 1 0 -1 4194304 0 0 0 0', 'other'],
  ['a container with such a name', '2 (a) S 0 0 0 0 -1 2129984) S 1 1 1 0 -1 4194304 0', 'other'],
  ['a container without a process 2', undefined, 'other'],
]

it.each(rows)('%s is told from others by its process 2', async (_, stat, answer) => {
  const processes = await mkdtemp(join(tmpdir(), 'fenced-processes-'))
  try {
    await mkdir(join(processes, '2'))
    if (stat !== undefined) await writeFile(join(processes, '2', 'stat'), `${stat}\n`)
    const script = `${findingMachine}\nif is_machine "$1"; then echo machine; else echo other; fi`
    const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', processes])
    expect(stdout.trim()).toBe(answer)
  } finally {
    await rm(processes, { recursive: true })
  }
})

it('stops all processes at once only where it has asked', () => {
  const asked = controlledScript.indexOf('is_machine /proc || limit_identifies=')
  expect(asked).toBeGreaterThan(0)
  expect(controlledScript.indexOf('then kill_all_frozen')).toBeGreaterThan(asked)
})
