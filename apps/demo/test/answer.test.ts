import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { answer, demo, folder, interruptedWaiting } from './demo.ts'

describe('an answer of the user’s own', () => {
  it('is a file, found from where the command was typed', async () => {
    await writeFile(join(folder, 'answer.md'), answer(['sh', 'echo from a file']))
    const { exitCode, stdout } = await demo(['--answer', 'answer.md'])
    expect(stdout).toContain('> from a file')
    expect(exitCode).toBe(0)
  })

  it('is standard input', async () => {
    const { exitCode, stdout } = await demo(['--answer', '-'], {
      input: answer(['js', 'console.log(6 * 7)']),
    })
    expect(stdout).toContain('> 42')
    expect(exitCode).toBe(0)
  })

  it('ends at the first block that fails: exit code 1, and the rest is shown as not run', async () => {
    const input = answer(['sh', 'echo out; echo err >&2; exit 3'], ['sh', 'echo never'])
    const { exitCode, stdout } = await demo(['--answer', '-'], { input })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('  > out\n')
    expect(stdout).toContain('  ! err\n')
    expect(stdout).toMatch(/1 {2}sh +error/)
    expect(stdout).toMatch(/2 {2}sh +not run/)
    expect(stdout).toContain('0 of 1 program ran well. The last one: error.')
    expect(stdout).not.toContain('> never')
  })

  it('ends at its time limit', async () => {
    const seconds = uniqueSeconds()
    const { exitCode, stdout } = await demo(['--answer', '-', '--timeout', '2'], {
      input: answer(['sh', `echo early; sleep ${seconds}`]),
    })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('> early')
    expect(stdout).toMatch(/timeout, exit code 124/)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.each([{ CI: 'true' }, { CI: '' }, { NO_COLOR: '1' }])(
    'has no colors where nobody sees them: %o',
    async (env) => {
      const input = answer(['sh', 'echo plain'])
      const { stdout } = await demo(['--answer', '-'], { input, env: { FORCE_COLOR: '', ...env } })
      expect(stdout).not.toContain('\u001B')
    },
  )

  it('cannot play with the terminal', async () => {
    const input = answer(['sh', "printf '\\033]0;title\\007 10%%\\r20%%\\n'"])
    const { stdout } = await demo(['--answer', '-'], { input })
    expect(stdout).toContain('  > ␛]0;title␇ 10%\r  > 20%\n')
  })

  it('shows output while the program runs', async () => {
    const seconds = uniqueSeconds()
    const { exitCode } = await demo(['--answer', '-'], {
      input: answer(['sh', `echo now; sleep ${seconds}`]),
      onOutput: ['> now', (child) => child.kill('SIGTERM')],
    })
    expect(exitCode).toBe(143)
  })
})

describe('somebody who has seen enough', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the program and gives exit code %i', async (signal, code) => {
    const seconds = uniqueSeconds()
    const { exitCode, stdout } = await demo(['--answer', '-'], {
      input: answer(['sh', `echo started; sleep ${seconds} & sleep ${seconds}`]),
      onOutput: ['> started', (child) => child.kill(signal)],
    })
    expect(exitCode).toBe(code)
    expect(stdout).toMatch(/cancelled, exit code 125/)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('SIGINT ends it also while it waits for standard input', async () => {
    expect(await interruptedWaiting()).toBe('SIGINT')
  })

  it('a reader that goes away ends the run', async () => {
    const { exitCode, stderr } = await demo(['--answer', '-'], {
      input: answer(['sh', `while :; do echo more; sleep 0.05; done`]),
      onOutput: ['> more', (child) => child.stdout?.destroy()],
    })
    expect(exitCode).toBe(141)
    expect(stderr).toBe('')
  })
})
