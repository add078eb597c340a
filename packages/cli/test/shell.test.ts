// @module-tag all

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { anywhere, fenced } from './command.ts'
import { docker } from './requirements.ts'
import { atTerminal, pseudoTerminal, type Step } from './terminal.ts'

const temporary = await mkdtemp(join(tmpdir(), 'fenced-shell-'))
afterAll(() => rm(temporary, { recursive: true, force: true }))

/** A person in `sh`, whose prompt differs from all that is typed. */
function inShell(steps: readonly Step[], args: readonly string[] = anywhere) {
  const prompt = 'PS1="re""ady "; export PS1; exec sh -i'
  return atTerminal(['shell', ...args, 'sh', '-c', prompt], [{ expect: 'ready ' }, ...steps])
}

it('fenced shell needs a terminal', async () => {
  const { code, stderr } = await fenced(['shell', ...anywhere])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('terminal') })
})

describe.skipIf(pseudoTerminal.missing)('fenced run --tty', () => {
  it('gives each program the terminal, and ends with the exit code of the first that fails', async () => {
    const file = join(temporary, 'answer.md')
    const python =
      'import os\nname = input("Name? ")\nprint(f"Hello {name}, {os.get_terminal_size().lines} rows")'
    const blocks = [`~~~python\n${python}\n~~~`, '~~~sh\nexit 7\n~~~', '~~~sh\necho never\n~~~']
    await writeFile(file, blocks.join('\n\n'))
    const steps = [{ expect: 'Name? ' }, { type: 'Ada\r' }, { expect: 'Hello Ada, 24 rows' }]
    const { exitCode, output } = await atTerminal(['run', ...anywhere, '--tty', file], steps)
    expect(exitCode).toBe(7)
    expect(output).not.toContain('never')
  })

  it.each([
    { args: ['--json', 'answer.md'], why: '--json' },
    { args: ['--ask', 'answer.md'], why: '--ask' },
    { args: ['--stateful', 'answer.md'], why: '--tty cannot be used with --stateful. Remove one of them.' },
    { args: ['--network', 'ask', 'answer.md'], why: '--network ask' },
    { args: ['-'], why: 'a file' },
  ])('is refused with $args', { tags: 'nightly' }, async ({ args, why }) => {
    const refused = { code: 2, stderr: expect.stringContaining(why) }
    expect(await fenced(['run', '--tty', ...args])).toMatchObject(refused)
  })
})

describe.skipIf(pseudoTerminal.missing)('fenced shell', { concurrent: true }, () => {
  it('gives a program the terminal, its size and its keys, and ends with the exit code of the program', async () => {
    const { exitCode, output } = await inShell([
      { type: 'stty size\r' },
      { expect: '24 80' },
      { resize: [100, 30] },
      { type: `sh -c 'echo be"gu"n; exec sleep 100'\r` },
      { expect: 'begun' },
      { type: '\x03' },
      { expect: 'ready ' },
      { type: 'stty size\r' },
      { expect: '30 100' },
      { type: 'exit 7\r' },
    ])
    expect(exitCode).toBe(7)
    expect(output).toContain('not isolated')
  })

  it('ends what runs in the terminal at SIGTERM, and restores the modes', async () => {
    const seconds = uniqueSeconds()
    const { exitCode } = await inShell([
      { type: `stty raw; printf '\\033[?1049hbe''gun'; sleep ${seconds}\r` },
      { expect: 'begun' },
      { signal: 15 },
    ])
    expect(exitCode).toBe(143)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('ends what runs in the terminal when the terminal is closed', async () => {
    const seconds = uniqueSeconds()
    const { exitCode } = await inShell([
      { type: `echo be''gun; sleep ${seconds}\r` },
      { expect: 'begun' },
      { hangUp: true },
    ])
    expect(exitCode).toBe(129)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('says that a program is not there, as a shell does', { tags: 'nightly' }, async () => {
    const { exitCode, output } = await atTerminal(['shell', ...anywhere, 'no-such-program'], [])
    expect({ exitCode, output }).toMatchObject({
      exitCode: 127,
      output: expect.stringContaining('no-such-program'),
    })
  })

  it.skipIf(docker.missing)('runs bash in a container, and keeps its files', async () => {
    const directory = await mkdtemp(join(temporary, 'container-'))
    const args = ['--executor', 'docker', '--image', 'fenced-test/python', '--work-dir', directory]
    const { exitCode } = await atTerminal(
      ['shell', ...args],
      [{ expect: '$ ' }, { type: 'echo made > made.txt; exit 5\r' }],
    )
    expect(exitCode).toBe(5)
    expect(await readFile(join(directory, 'made.txt'), 'utf8')).toBe('made\n')
  })
})
