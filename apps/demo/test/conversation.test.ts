import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { comparable } from './comparable.ts'
import { demo, folder, python } from './demo.ts'
import { modelServer } from './model-server.ts'

describe('without a terminal', () => {
  it.skipIf(python.missing)('nobody is asked, and the transcript is what the README promises', async () => {
    const { exitCode, stdout, stderr } = await demo([])
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    await expect(comparable(stdout)).toMatchFileSnapshot('transcripts/without-terminal.txt')
    const workDir = /^What was made stays in (.*)$/m.exec(stdout)?.[1] ?? ''
    expect((await readdir(workDir)).toSorted()).toEqual(['collatz.png', 'collatz.py'])
  })

  it('it is played in JavaScript where there is no Python, and says so', async () => {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    const { exitCode, stdout } = await demo([], { env: { PATH: bin, VIRTUAL_ENV: '' } })
    expect(stdout).toContain('there is no python on this machine')
    expect(stdout).toContain('! TypeError: ')
    expect(stdout).toContain('> 786 by 240 pixels, in small:')
    expect(exitCode).toBe(0)
  })

  it('the scripted model gives up, honestly, when something else goes wrong: exit code 1', async () => {
    const { exitCode, stdout } = await demo(['--timeout', '0.001'])
    expect(stdout).toContain('= timeout, exit code 124')
    expect(stdout).toContain('That is not what my script expects here, and I am a script')
    expect(exitCode).toBe(1)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the program that runs, and nothing is left: exit code %i', async (signal, code) => {
    const seconds = uniqueSeconds()
    const temporary = await mkdtemp(join(folder, 'temporary-'))
    await using server = await modelServer({ answers: [`\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``] })
    const { exitCode, stdout } = await demo(['--model', 'test/m', '--base-url', server.baseUrl], {
      env: { TMPDIR: temporary },
      onOutput: ['> begun', (child) => child.kill(signal)],
    })
    expect(stdout).toContain('- Cancelled: the program was stopped before its end.')
    expect(exitCode).toBe(code)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await readdir(temporary)).toEqual([])
  })

  it('a reader that goes away ends it', async () => {
    await using server = await modelServer({
      answers: ['```sh\nwhile :; do echo more; sleep 0.05; done\n```'],
    })
    const { exitCode, stderr } = await demo(['--model', 'test/m', '--base-url', server.baseUrl], {
      onOutput: ['> more', (child) => child.stdout?.destroy()],
    })
    expect(exitCode).toBe(141)
    expect(stderr).toBe('')
  })
})
