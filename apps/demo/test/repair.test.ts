import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { comparable } from './comparable.ts'
import { demo, folder, python } from './demo.ts'
import { modelServer } from './model-server.ts'

const decision = JSON.stringify({ retry: true, reason: 'Once more, with another number.' })

describe('repair without a terminal', () => {
  it.skipIf(python.missing)('fails twice, mends both, and shows all of it', async () => {
    const { exitCode, stdout, stderr } = await demo(['repair', '--approve', 'always'])
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    await expect(comparable(stdout)).toMatchFileSnapshot('transcripts/repair-without-terminal.txt')
    const workDir = /^What was made stays in (.*)$/m.exec(stdout)?.[1] ?? ''
    expect((await readdir(workDir)).toSorted()).toEqual(['fibonacci.py', 'fibonacci.txt'])
    const digits = (await readFile(join(workDir, 'fibonacci.txt'), 'utf8')).trim()
    expect(digits).toMatch(/^2195438355\d{5205}1777596875$/)
  })

  it('it is played in JavaScript where there is no Python', async () => {
    const bin = await mkdtemp(join(folder, 'bin-'))
    const { exitCode, stdout } = await demo(['repair'], { env: { PATH: bin, VIRTUAL_ENV: '' } })
    expect(stdout).toContain('there is no python on this machine')
    const marks = ['! RangeError: ', 'Each call waits', '! TypeError: ', '> 5,225 digits: ']
    const places = marks.map((mark) => stdout.indexOf(mark))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(exitCode).toBe(0)
  })

  it('a real model decides about its failures', async () => {
    const answers = ['```sh\nexit 3\n```', decision, '```sh\necho $((6 * 7))\n```', 'It is 42.']
    await using server = await modelServer({ answers })
    const { exitCode, stdout } = await demo([
      'repair',
      ...['--model', 'test/m', '--base-url', server.baseUrl, '--task', 'What is 6 times 7?'],
    ])
    expect(stdout).toContain('What is 6 times 7?')
    expect(stdout).toContain('coder plans another try\nOnce more, with another number.\n')
    expect(stdout).toContain('> 42\n')
    expect(stdout).toContain('It is 42.')
    expect(stdout).not.toContain('scripted')
    expect(exitCode).toBe(0)
  })

  it('a program that never gets well ends with the reason: exit code 1', async () => {
    const answers = [
      '```sh\nexit 3\n```',
      decision,
      '```sh\nexit 3\n```',
      decision,
      '```sh\nexit 3\n```',
      'No.',
    ]
    await using server = await modelServer({ answers })
    const { exitCode, stdout } = await demo(['repair', '--model', 'test/m', '--base-url', server.baseUrl])
    expect(stdout).toContain('came again, so no further try was made.')
    expect(exitCode).toBe(1)
  })

  it('SIGINT stops the program that runs, and nothing is left: exit code 130', async () => {
    const seconds = uniqueSeconds()
    const temporary = await mkdtemp(join(folder, 'temporary-'))
    await using server = await modelServer({ answers: [`\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``] })
    const { exitCode } = await demo(['repair', '--model', 'test/m', '--base-url', server.baseUrl], {
      env: { TMPDIR: temporary },
      onOutput: ['> begun', (child) => child.kill('SIGINT')],
    })
    expect(exitCode).toBe(130)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await readdir(temporary)).toEqual([])
  })
})
