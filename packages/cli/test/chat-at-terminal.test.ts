// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { anywhere } from './command.ts'
import { modelServer } from './model-server.ts'
import {
  answering,
  atTerminal,
  pseudoTerminal,
  type Step,
  type TerminalOptions,
  wideLines,
} from './terminal.ts'

const temporary = await mkdtemp(join(tmpdir(), 'fenced-chat-terminal-'))
afterAll(() => rm(temporary, { recursive: true, force: true }))

const interrupt: Step = { type: '\x03' }
const begun: Step = { expect: '> begun' }
const autoGensWords = />>>>|EXECUTING|TERMINATE|exitcode|-----|\(to /

const program = 'A program:\n\n```sh\necho begun\n```'
const sleeping = (seconds: number) => `Wait:\n\n\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``
/** It uses the whole grace period of its executor. */
const stubborn = (seconds: number) =>
  `Wait:\n\n\`\`\`sh\ntrap '' TERM INT\necho begun; sleep ${seconds}; sleep ${seconds}\n\`\`\``

/** A person chats with a model whose answers are known. */
async function chat(
  answers: readonly (string | undefined)[],
  steps: readonly Step[],
  { args = ['Do it.'], ...options }: TerminalOptions & { readonly args?: readonly string[] } = {},
) {
  await using server = await modelServer({ answers })
  const all = ['chat', ...anywhere, '--model', 'm', '--base-url', server.baseUrl, ...args]
  return { ...(await atTerminal(all, steps, options)), asked: [...server.asked] }
}

// Concurrently: most of the time they wait for a person or a word.
describe.skipIf(pseudoTerminal.missing)('fenced chat at a terminal', { concurrent: true }, () => {
  it('says where programs run, asks for the task, and runs a program after Enter', async () => {
    const task: Step[] = [{ expect: 'What is the task? ' }, { type: 'Count.\r' }]
    const answers = [program, 'It ran.\n\nTERMINATE']
    const { output, exitCode, asked } = await chat(answers, [...task, ...answering(''), ...answering('')], {
      args: [],
    })
    const marks = [
      '  code    runs on this machine, not isolated',
      '  Ctrl-C  stops a running program',
      'Enter runs it on this machine, not isolated.',
      '> begun',
      'It ran.',
      'Enter ends the conversation.',
      '1 of 1 program ran well.',
    ].map((mark) => output.indexOf(mark))
    expect(marks).not.toContain(-1)
    expect(marks).toEqual(marks.toSorted((a, b) => a - b))
    expect(output).not.toMatch(autoGensWords)
    expect(asked[0]?.messages.at(-1)?.content).toBe('Count.')
    expect(exitCode).toBe(0)
  })

  it('gives a text to the model, and exit ends the chat well', async () => {
    const steps = [...answering('Make it red.'), ...answering('exit')]
    const { output, exitCode, asked } = await chat([program], steps)
    expect(asked[1]?.messages.at(-1)?.content).toBe('Make it red.')
    expect(output).not.toContain('  = ')
    expect(exitCode).toBe(0)
  })

  it('undoes the last program after `undo`, and the model reads so', async () => {
    const python = (code: string) => `A program:\n\n\`\`\`python\n${code}\n\`\`\``
    const steps = [...answering(''), ...answering(''), ...answering('undo'), ...answering('')]
    const { output, exitCode, asked } = await chat(
      [python('x = 1'), python('x = 2'), 'Now?', python('print("x is", x)'), 'Good.\n\nTERMINATE'],
      [...steps, ...answering('')],
      { args: ['Count.', '--stateful'] },
    )
    expect(output).toContain('  undo    undoes the last program')
    expect(asked[3]?.messages.at(-1)?.content).toBe(
      'Block 2 was undone. Variables and files are as after block 1.',
    )
    expect(output).toContain('> x is 1')
    expect(exitCode).toBe(0)
  })

  it('Ctrl-C stops a running program, and the chat continues with the model', async () => {
    const seconds = uniqueSeconds()
    const { output, exitCode, asked } = await chat(
      [sleeping(seconds), 'As you like.\n\nTERMINATE'],
      [...answering(''), begun, interrupt, ...answering('')],
    )
    expect(output).toContain('= cancelled, exit code 125')
    expect(asked[1]?.messages.at(-1)?.content).toContain('Cancelled')
    expect(output).toContain('As you like.')
    // The last program did not end well.
    expect(exitCode).toBe(1)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.each([
    ['one after the other', [interrupt, interrupt]],
    ['at once', [{ type: '\x03\x03' }]],
  ])('Ctrl-C twice, %s, ends the chat, and nothing is left', { tags: 'nightly' }, async (_, keys) => {
    const seconds = uniqueSeconds()
    const TMPDIR = await mkdtemp(join(temporary, 'own-'))
    const { exitCode } = await chat([stubborn(seconds)], [...answering(''), begun, ...keys], {
      env: { TMPDIR },
    })
    expect(exitCode).toBe(130)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(temporaryEntries(TMPDIR)).toEqual([])
  })

  it('Ctrl-C at a question ends the chat', { tags: 'nightly' }, async () => {
    const { exitCode } = await chat([program], [...answering('').slice(0, 1), interrupt])
    expect(exitCode).toBe(130)
  })

  it('Ctrl-C while the model writes ends the chat', { tags: 'nightly' }, async () => {
    const { exitCode } = await chat([undefined], [{ expect: 'Let me think' }, interrupt])
    expect(exitCode).toBe(130)
  })

  it('a closed terminal ends everything', async () => {
    const seconds = uniqueSeconds()
    const { exitCode } = await chat([sleeping(seconds)], [...answering(''), begun, { hangUp: true }])
    // The signal of the terminal, or the output that no one reads: either can arrive first.
    expect([129, 141]).toContain(exitCode)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('with --yes, no question is asked', { tags: 'nightly' }, async () => {
    const { output, exitCode } = await chat([program, 'It ran.\n\nTERMINATE'], [], {
      args: ['Do it.', '--yes'],
    })
    expect(output).toContain('All programs run without a question (--yes).')
    expect(output).not.toContain('Enter runs')
    expect(exitCode).toBe(0)
  })

  it('a terminal that can shows a picture', { tags: 'nightly' }, async () => {
    const code = `printf '\\211PNG' > a.png; echo begun`
    const { raw } = await chat([`\`\`\`sh\n${code}\n\`\`\``], [...answering(''), ...answering('exit')], {
      env: { TERM: 'xterm-kitty' },
    })
    expect(raw).toContain('created a.png (4 bytes)\r\n\x1b_Ga=T,f=100')
  })

  it('only programs and paths are wider than a terminal of 40 columns', { tags: 'nightly' }, async () => {
    const answers = [program, 'It ran.\n\nTERMINATE']
    const { output } = await chat(answers, [...answering(''), ...answering('')], { columns: 40 })
    expect(wideLines(output)).toEqual([])
  })
})
