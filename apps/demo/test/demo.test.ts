// @module-tag all

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore A pseudo terminal for the tests of both commands; no package exports it.
import { answering, atTerminal, pseudoTerminal } from '../../../packages/cli/test/terminal.ts'
import { comparable } from './comparable.ts'
import { bubblewrap, demo, demoProgram, folder, python } from './demo.ts'
import { containersOf, docker, images } from './docker.ts'
import { jupyter, jupyterEnvironment } from './jupyter.ts'

/** The directory that the demo names at its end. */
const filesOf = async (stdout: string) =>
  (await readdir(/^The files stay in (.*)$/m.exec(stdout)?.[1] ?? '')).toSorted()

describe.skipIf(python.missing)('the conversation', () => {
  it.skipIf(bubblewrap.missing)('without a terminal, asks no one and runs in a sandbox', async () => {
    const { exitCode, stdout, stderr } = await demo([])
    expect([exitCode, stderr]).toEqual([0, ''])
    await expect(comparable(stdout)).toMatchFileSnapshot('transcripts/without-terminal.txt')
    expect(await filesOf(stdout)).toEqual(['collatz.png', 'collatz.py'])
  })

  it('runs on a machine with Node and Python only, and says that nothing isolates it', async () => {
    const { exitCode, stdout, stderr } = await demo([], { env: { PATH: await pathWithPython() } })
    expect(stdout).toContain(
      'programs  really run, on this machine, not isolated: they can do what you can do',
    )
    expect(await filesOf(stdout)).toEqual(['collatz.png', 'collatz.py'])
    expect([exitCode, stderr]).toEqual([0, ''])
  })

  it.skipIf(docker.missing)('runs in a container, which is removed', async () => {
    const args = ['--executor', 'docker', '--image', images.python]
    const { exitCode, stdout, processId } = await demo(args)
    expect(stdout).toContain('programs  really run, in a container, without network')
    expect(await filesOf(stdout)).toEqual(['collatz.png', 'collatz.py'])
    expect(exitCode).toBe(0)
    expect(await containersOf(processId)).toEqual([])
  })

  it.skipIf(jupyter.missing)('runs in a kernel', { tags: 'nightly' }, async () => {
    const { exitCode, stdout } = await demo(['--executor', 'jupyter'], {
      env: { VIRTUAL_ENV: jupyterEnvironment },
    })
    expect(stdout).toContain('2 of 3 programs ran well and made 1 file.')
    expect(exitCode).toBe(0)
  })
})

describe.skipIf(pseudoTerminal.missing)('at a terminal', () => {
  const env = { TMPDIR: folder }

  it('Enter runs the program that fails, its repair, and the check', async () => {
    const steps = [1, 2, 3, 4].flatMap(() => answering(''))
    const { output, exitCode } = await atTerminal([], steps, { program: demoProgram, env })
    const marks = [
      '  Enter     runs the program that is shown',
      '! IndexError: list index out of range',
      'created collatz.png',
      '> 786 by 240 pixels, small version:',
      '2 of 3 programs ran well',
    ].map((mark) => output.indexOf(mark))
    expect(marks).not.toContain(-1)
    expect(marks).toEqual(marks.toSorted((a, b) => a - b))
    expect(exitCode).toBe(0)
  })

  it('a text goes to the model, and exit ends it', { tags: 'nightly' }, async () => {
    const steps = [...answering('Make it red.'), ...answering('exit')]
    const { output, exitCode } = await atTerminal([], steps, { program: demoProgram, env })
    expect(output).toContain('I am a script and cannot understand you.')
    expect(output).not.toContain('  = ')
    expect(exitCode).toBe(0)
  })
})

describe('--answer', () => {
  const shell = (code: string) => `~~~sh\n${code}\n~~~\n`

  it.skipIf(bubblewrap.missing)('runs a file in a sandbox, and fails with its program', async () => {
    await writeFile(join(folder, 'answer.md'), `${shell('echo out > made; echo ran')}${shell('exit 3')}`)
    const { exitCode, stdout } = await demo(['--answer', 'answer.md'])
    expect(stdout).toContain('The programs run in bubblewrap, without network.')
    expect(stdout).toContain('> ran')
    expect(await filesOf(stdout)).toEqual(['made'])
    expect(exitCode).toBe(1)
  })

  it('runs nothing where no isolation works', { tags: 'nightly' }, async () => {
    const TMPDIR = await mkdtemp(join(folder, 'own-'))
    const env = { PATH: await pathWithPython(), TMPDIR }
    const { exitCode, stdout, stderr } = await demo(['--answer', '-'], { env, input: shell('echo ran') })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^demo: .*bubblewrap/i)
    expect(temporaryEntries(TMPDIR)).toEqual([])
  })

  it.skipIf(bubblewrap.missing).each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s stops the program and leaves nothing: exit code %i',
    { tags: 'nightly' },
    async (signal, code) => {
      const TMPDIR = await mkdtemp(join(folder, 'own-'))
      const seconds = uniqueSeconds()
      const { exitCode } = await demo(['--answer', '-'], {
        env: { TMPDIR },
        input: shell(`echo begun; sleep ${seconds} & sleep ${seconds}`),
        onOutput: ['> begun', (child) => child.kill(signal)],
      })
      expect(exitCode).toBe(code)
      expect(await processesLeft(`${seconds}`)).toEqual([])
      expect(temporaryEntries(TMPDIR)).toEqual([])
    },
  )

  it.skipIf(bubblewrap.missing)('ends when its reader leaves', { tags: 'nightly' }, async () => {
    const { exitCode, stderr } = await demo(['--answer', '-'], {
      input: shell('while :; do echo more; sleep 0.05; done'),
      onOutput: ['> more', (child) => child.stdout?.destroy()],
    })
    expect([exitCode, stderr]).toEqual([141, ''])
  })
})

it.each([
  [['repair'], 'repair'],
  [['--executor', 'podman'], 'local, docker, jupyter'],
  [['--answr', 'a.md'], '--answr'],
  [['--answer', 'not-there.md'], 'not-there.md'],
])('refuses %j', async (args, named) => {
  const { exitCode, stdout, stderr } = await demo(args)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(named)
})

/** A PATH with Python alone. */
async function pathWithPython(): Promise<string> {
  const directory = join(await mkdtemp(join(folder, 'path-')), 'bin')
  await mkdir(directory)
  const options = { encoding: 'utf8' } as const
  const path = python.missing
    ? []
    : [execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], options).trim()]
  for (const program of path) await symlink(program, join(directory, 'python3'))
  return directory
}
