import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { folder } from './demo.ts'
import { modelServer } from './model-server.ts'
import { answering, atTerminal, pseudoTerminal, type Step, wideLines } from './terminal.ts'

const interrupt: Step = { type: '\x03' }
const begun: Step = { expect: '> begun' }
const autoGensWords = />>>>|EXECUTING|TERMINATE|exitcode|-----|\(to /

// Concurrently: most of the time a person or a word is waited for.
describe.skipIf(pseudoTerminal.missing)('at a terminal', { concurrent: true }, () => {
  it('Enter all the way fails, repairs, checks and ends well', async () => {
    const { output, exitCode } = await atTerminal(
      [],
      [1, 2, 3, 4].flatMap(() => answering('')),
    )
    expect(output).toContain('model   scripted')
    const marks = [
      '! IndexError: list index out of range',
      '`height - 1` in that place',
      'created collatz.png',
      '> 786 by 240 pixels, in small:',
      'pixels with its peak at the top.',
      '2 of 3 programs ran well',
      'assistant sent a message that ends it.',
    ].map((mark) => output.indexOf(mark))
    expect(marks).toEqual(marks.toSorted((a, b) => a - b))
    expect(marks).not.toContain(-1)
    expect(output.match(/Enter runs it on this machine, not isolated\./g)).toHaveLength(3)
    expect(output.match(/Enter ends the conversation\./g)).toHaveLength(1)
    expect(output).not.toMatch(autoGensWords)
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
    expect(raw.replace(/\([\d.]+ kB\)/, '(SIZE)')).toContain('created collatz.png (SIZE)\r\n\x1b_Ga=T,f=100')
  })

  it('feedback goes to the model, which is honest about its script; exit ends it well', async () => {
    const { output, exitCode } = await atTerminal([], [...answering('Make it red.'), ...answering('exit')])
    expect(output).toContain('exit ends: Make it red.\n')
    expect(output).toContain('I am a script and cannot understand what you say')
    expect(output.match(/# filename: collatz\.py/g)).toHaveLength(1)
    expect(output).toContain('[2] python, line 3: the same as [1]\n')
    expect(output).not.toContain('  = ')
    expect(exitCode).toBe(0)
  })

  it('feedback at the end is answered too', async () => {
    const steps = [...[1, 2, 3].flatMap(() => answering('')), ...answering('Thanks'), ...answering('')]
    const { output, exitCode } = await atTerminal([], steps)
    const answered = output.slice(output.indexOf('exit ends: Thanks\n'))
    expect(answered).toContain('I am a script and cannot understand')
    expect(answered).toContain('assistant sent a message that ends it.\n')
    expect(exitCode).toBe(0)
  })

  it('Ctrl-C stops a program that runs, the model hears of it, and the conversation goes on', async () => {
    const seconds = uniqueSeconds()
    await using server = await modelServer({ answers: [sleeping(seconds), 'As you like.\n\nTERMINATE'] })
    const steps = [...answering(''), begun, interrupt, ...answering('')]
    const { output, exitCode } = await atTerminal(of(server), steps)
    expect(output).toContain('= cancelled, exit code 125')
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
    expect(output).not.toContain('Enter runs')
    expect(exitCode).toBe(0)
  })

  it('nothing but programs and paths is wider than a terminal of 40 columns', async () => {
    const steps = [1, 2, 3, 4].flatMap(() => answering(''))
    const { output, exitCode } = await atTerminal([], steps, { columns: 40 })
    expect(output).toContain('  Ctrl-C  ')
    expect(output).toContain(
      'Enter runs it on this machine, not\nisolated.\nA text answers assistant, exit ends: ',
    )
    expect(wideLines(output)).toEqual([])
    expect(exitCode).toBe(0)
  })
})

function of({ baseUrl }: { readonly baseUrl: string }): string[] {
  return ['--model', 'test/m', '--base-url', baseUrl]
}

function sleeping(seconds: number): string {
  return `Wait:\n\n\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``
}

/** It takes the grace of its executor to end. */
function stubborn(seconds: number): string {
  return `Wait:\n\n\`\`\`sh\ntrap '' TERM INT\necho begun; sleep ${seconds}; sleep ${seconds}\n\`\`\``
}
