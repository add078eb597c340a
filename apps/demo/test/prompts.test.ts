import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/core/testing'
import { describe, expect, it } from 'vitest'
import { folder } from './demo.ts'
import { modelServer } from './model-server.ts'
import { answering, atTerminal, pseudoTerminal, type Step } from './terminal.ts'

const interrupt: Step = { type: '\x03' }
const begun: Step = { expect: '> begun' }

describe.skipIf(pseudoTerminal.missing)('at a terminal', () => {
  it('Enter all the way fails, repairs, checks and ends well', async () => {
    const { output, exitCode } = await atTerminal(
      [],
      [1, 2, 3, 4].flatMap(() => answering('')),
    )
    expect(output).toContain('model   scripted')
    const marks = [
      '! IndexError: list index out of range',
      '`height - 1` in that place',
      'FILE CREATED',
      '> 786 by 240 pixels, in small:',
      'TERMINATE\n',
      '>>>>>>>> TERMINATING RUN: assistant sent a message that ends it.',
    ].map((mark) => output.indexOf(mark))
    expect(marks).toEqual(marks.toSorted((a, b) => a - b))
    expect(marks).not.toContain(-1)
    expect(output.match(/>>>>>>>> NO HUMAN INPUT RECEIVED\./g)).toHaveLength(4)
    expect(exitCode).toBe(0)
  })

  it('the picture is shown where the terminal can', async () => {
    const { raw } = await atTerminal(
      [],
      [1, 2, 3, 4].flatMap(() => answering('')),
      {
        env: { TERM: 'xterm-kitty' },
      },
    )
    expect(raw.replace(/\(.* kB\)/, '(SIZE)')).toContain(
      'FILE CREATED (SIZE): collatz.png\r\n\x1b_Ga=T,f=100',
    )
  })

  it('feedback goes to the model, which is honest about its script; exit ends it well', async () => {
    const { output, exitCode } = await atTerminal([], [...answering('Make it red.'), ...answering('exit')])
    expect(output).toContain('user_proxy (to assistant):\n\nMake it red.\n')
    expect(output).toContain('I am a script and cannot understand what you say')
    expect(output.match(/# filename: collatz\.py/g)).toHaveLength(2)
    expect(output).not.toContain('EXECUTING')
    expect(exitCode).toBe(0)
  })

  it('feedback at the end is answered too', async () => {
    const steps = [...[1, 2, 3].flatMap(() => answering('')), ...answering('Thanks'), ...answering('')]
    const { output, exitCode } = await atTerminal([], steps)
    const answered = output.slice(output.indexOf('\n\nThanks\n'))
    expect(answered).toContain('I am a script and cannot understand')
    expect(answered).toContain('TERMINATE\n')
    expect(exitCode).toBe(0)
  })

  it('Ctrl-C stops a program that runs, the model hears of it, and the conversation goes on', async () => {
    const seconds = uniqueSeconds()
    await using server = await modelServer({ answers: [sleeping(seconds), 'As you like.\n\nTERMINATE'] })
    const steps = [...answering(''), begun, interrupt, ...answering('')]
    const { output, exitCode } = await atTerminal(of(server), steps)
    expect(output).toContain('exitcode: 125 (execution failed)')
    expect(server.asked[1]?.messages.at(-1)?.content).toContain('Cancelled')
    expect(output).toContain('As you like.')
    // The last program did not run well.
    expect(exitCode).toBe(1)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.each([
    ['in a row', [interrupt, interrupt]],
    ['at once', [{ type: '\x03\x03' }]],
  ])('Ctrl-C twice leaves, also %s, and nothing is left', async (_, keys) => {
    const seconds = uniqueSeconds()
    const temporary = await mkdtemp(join(folder, 'temporary-'))
    await using server = await modelServer({ answers: [stubborn(seconds)] })
    const { exitCode } = await atTerminal(of(server), [...answering(''), begun, ...keys], {
      env: { TMPDIR: temporary },
    })
    expect(exitCode).toBe(130)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await readdir(temporary)).toEqual([])
  })

  it('Ctrl-C at a question leaves', async () => {
    const [question] = answering('')
    const { exitCode } = await atTerminal(
      [],
      [question, interrupt].filter((step) => step !== undefined),
    )
    expect(exitCode).toBe(130)
  })

  it('Ctrl-C while the model speaks leaves', async () => {
    await using server = await modelServer({ answers: [undefined] })
    const { exitCode } = await atTerminal(of(server), [{ expect: 'Let me think' }, interrupt])
    expect(exitCode).toBe(130)
  })

  it('a terminal that is closed ends everything', async () => {
    const seconds = uniqueSeconds()
    await using server = await modelServer({ answers: [sleeping(seconds)] })
    const { exitCode } = await atTerminal(of(server), [...answering(''), begun, { hangUp: true }])
    // Whether it hears first that the terminal was closed or that nobody reads any more.
    expect([129, 141]).toContain(exitCode)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('--yes asks nobody', async () => {
    const { output, exitCode } = await atTerminal(['--yes'], [])
    expect(output).toContain('Nobody is asked')
    expect(output).not.toContain('Replying as')
    expect(exitCode).toBe(0)
  })

  it('none of our own lines is wider than a terminal of 40 columns', async () => {
    const { output } = await atTerminal([], answering('exit'), { columns: 40 })
    const introduction = output.slice(output.indexOf('Fenced'), output.indexOf('user_proxy (to'))
    const path = /\S*fenced-demo-\w+/
    const wide = introduction.split('\n').filter((line) => line.length > 40 && !path.test(line))
    expect(wide).toEqual([])
    expect(introduction).toContain('  Ctrl-C  ')
    expect(output).toContain(`\n${'-'.repeat(40)}\n`)
  })
})

function of({ baseUrl }: { readonly baseUrl: string }): string[] {
  return ['--model', 'test/m', '--base-url', baseUrl]
}

function sleeping(seconds: number): string {
  return `Wait:\n\n\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``
}

/** It takes the grace of its place to end. */
function stubborn(seconds: number): string {
  return `Wait:\n\n\`\`\`sh\ntrap '' TERM INT\necho begun; sleep ${seconds}; sleep ${seconds}\n\`\`\``
}
