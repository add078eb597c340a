import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { longTests, processesLeft, uniqueSeconds } from '@fenced/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { answer, folder } from './demo.ts'
import { modelServer } from './model-server.ts'
import { atTerminal, pseudoTerminal, type Step, wideLines } from './terminal.ts'

const interrupt: Step = { type: '\x03' }
const question: Step = { expect: 'n and a reason: ' }
const say = (text: string): Step[] => [question, { type: `${text}\r` }]

const decision = JSON.stringify({ retry: true, reason: 'Once more.' })
const sh = (code: string) => `\`\`\`sh\n${code}\n\`\`\``
const timesRun = (output: string) => output.match(/^ {2}> ran/gm)?.length ?? 0
const ask = /Run it on this machine, not isolated\?/g

/** Somebody watches a model of which the answers are known. */
async function repairing(answers: readonly string[], steps: readonly Step[]) {
  await using server = await modelServer({ answers })
  return await atTerminal(['repair', '--model', 'test/m', '--base-url', server.baseUrl], steps)
}

// Concurrently: most of the time a person or a word is waited for.
describe.skipIf(pseudoTerminal.missing || longTests.missing)(
  'repair at a terminal',
  { concurrent: true },
  () => {
    const left = join(folder, 'leave.md')
    beforeAll(() => writeFile(left, answer(['sh', 'echo ran'])))

    it('y all the way fails twice, repairs both and ends well', async () => {
      const { output, exitCode } = await atTerminal(['repair'], [...say('y'), ...say('y'), ...say('y')])
      const marks = [
        '[1] python, line 4\n    # filename: fibonacci.py\n    known = {0: 0, 1: 1}\n',
        'Run it on this machine, not isolated? ',
        '! RecursionError: ',
        'coder plans another try\n',
        '[2] python, line 3\n',
        '! ValueError: Exceeds the limit',
        '[3] python, line 3\n',
        '> 5,225 digits: 2195438355 ... 1777596875',
        'created fibonacci.txt',
        'All of them are in `fibonacci.txt`.',
        '1 of 3 programs ran well and made 1 file.',
      ].map((mark) => output.indexOf(mark))
      expect(marks).not.toContain(-1)
      expect(marks).toEqual(marks.toSorted((a, b) => a - b))
      expect(output.match(ask)).toHaveLength(3)
      expect(output.match(/known = \{0: 0, 1: 1\}/g)).toHaveLength(1)
      expect(output).not.toMatch(/[a-z]Event\b|-----/)
      expect(output).toContain('model   scripted')
      expect(exitCode).toBe(0)
    })

    it('a reason against it is read by the model, and nothing runs: as the person wanted', async () => {
      const { output, exitCode } = await atTerminal(['repair'], say('n Use a loop'))
      expect(output).toContain('  = denied\n')
      expect(output).toContain('Code execution was not approved. Reason: Use a loop')
      expect(output).toContain('No further try: you did not want it to run, and I am a script')
      expect(output).not.toContain('RecursionError')
      expect(exitCode).toBe(0)
    })

    it('c holds for exactly this code', async () => {
      const again = sh('echo ran; exit 3')
      const answers = [again, decision, again, decision, sh('echo ran well'), 'Done.']
      const { output, exitCode } = await repairing(answers, [...say('c'), ...say('y')])
      expect(timesRun(output)).toBe(3)
      expect(output.match(/Allowed by an earlier answer/g)).toHaveLength(1)
      expect(output.match(ask)).toHaveLength(2)
      expect(exitCode).toBe(0)
    })

    it('a holds for everything', async () => {
      const { output, exitCode } = await atTerminal(['repair'], say('a'))
      expect(output.match(ask)).toHaveLength(1)
      expect(output.match(/Allowed by an earlier answer/g)).toHaveLength(2)
      expect(exitCode).toBe(0)
    })

    it('Ctrl-C stops a program, the model hears of it, and it goes on', async () => {
      const seconds = uniqueSeconds()
      const answers = [sh(`echo begun; sleep ${seconds}`), decision, sh('echo ran'), 'Done.']
      const { output, exitCode } = await repairing(answers, [
        ...say('y'),
        { expect: '> begun' },
        interrupt,
        ...say('y'),
      ])
      expect(output).toContain('= cancelled, exit code 125')
      expect(timesRun(output)).toBe(1)
      expect(exitCode).toBe(0)
      expect(await processesLeft(`${seconds}`)).toEqual([])
    })

    it.each<[string, string[]]>([
      ['repair', ['repair']],
      ['an answer', ['--approve', 'ask', '--answer', left]],
    ])('Ctrl-C at a question of %s leaves, and leaves nothing behind', async (_, args) => {
      const temporary = await mkdtemp(join(folder, 'temporary-'))
      const { output, exitCode } = await atTerminal(args, [question, interrupt], {
        env: { TMPDIR: temporary },
      })
      expect(timesRun(output)).toBe(0)
      expect(exitCode).toBe(130)
      expect(await readdir(temporary)).toEqual([])
    })

    it('--approve always asks nobody', async () => {
      const { output, exitCode } = await atTerminal(['repair', '--approve', 'always'], [])
      expect(output).toContain('Nobody is asked')
      expect(output).not.toMatch(ask)
      expect(exitCode).toBe(0)
    })

    it('nothing but programs and paths is wider than a terminal of 40 columns', async () => {
      // The question's last line there.
      const steps: Step[] = [{ expect: 'reason: ' }, { type: 'n\r' }]
      const { output, exitCode } = await atTerminal(['repair'], steps, { columns: 40 })
      expect(wideLines(output)).toEqual([])
      expect(output).toContain('  Ctrl-C  ')
      expect(exitCode).toBe(0)
    })
  },
)

describe.skipIf(pseudoTerminal.missing)('an answer with --approve ask', () => {
  const file = join(folder, 'asked.md')
  const args = ['--answer', file, '--approve', 'ask']

  it('is asked about once, with all of its code, and runs', async () => {
    await writeFile(file, answer(['sh', 'echo ran'], ['sh', 'echo ran again']))
    const { output, exitCode } = await atTerminal(args, say('y'))
    expect(output).toMatch(
      /\[1\] sh, line 3\n {4}echo ran\n\n\[2\] sh, line 9\n {4}echo ran again\n\nRun the 2 programs /,
    )
    expect(output.match(/Run the 2 programs/g)).toHaveLength(1)
    expect(output).toContain('2 of 2 programs ran well.')
    expect(exitCode).toBe(0)
  })

  it('does not run when it is not to', async () => {
    await writeFile(file, answer(['sh', 'echo ran']))
    const { output, exitCode } = await atTerminal(args, say('n Not today'))
    expect(output).toContain('not approved. Reason: Not today')
    expect(output).toContain('The last program was not run: it was denied.')
    expect(exitCode).toBe(0)
  })

  it('Ctrl-C stops what runs', async () => {
    const seconds = uniqueSeconds()
    await writeFile(file, answer(['sh', `echo begun; sleep ${seconds}`]))
    const { exitCode } = await atTerminal(args, [...say('y'), { expect: '> begun' }, interrupt])
    expect(exitCode).toBe(130)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })
})
