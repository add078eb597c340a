import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { answer, demo, folder, interruptedWaiting, python } from './demo.ts'

afterAll(() => rm(folder, { recursive: true }))

describe('the bundled answer', () => {
  it.skipIf(python.missing)('runs, is shown with what it prints and makes, and its files stay', async () => {
    const { exitCode, stdout, stderr } = await demo([])
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('on this machine, not isolated')
    expect(stdout).toContain('> 6171 takes 261 steps')
    expect(stdout).toContain('> It climbs to 975,400')
    expect(stdout).toMatch(/json +skipped/)
    expect(stdout).toContain('3 blocks ran well and made 1 file.')
    const workDir = /^ {2}files {3}(.*)$/m.exec(stdout)?.[1] ?? ''
    expect(await readdir(workDir)).toEqual(['longest.csv'])
  })

  it('is JavaScript where there is no Python, and says so', async () => {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    const { exitCode, stdout } = await demo(['--work-dir', join(folder, 'javascript')], {
      env: { PATH: bin, VIRTUAL_ENV: '' },
    })
    expect(stdout).toContain('there is no python on this machine')
    expect(stdout).toContain('> 6171 takes 261 steps')
    expect(stdout).toContain('3 blocks ran well and made 1 file.')
    expect(exitCode).toBe(0)
  })
})

describe('an answer of the user’s own', () => {
  it('is a file, found from where the command was typed', async () => {
    await writeFile(join(folder, 'answer.md'), answer(['sh', 'echo from a file']))
    const { exitCode, stdout } = await demo(['answer.md'])
    expect(stdout).toContain('> from a file')
    expect(exitCode).toBe(0)
  })

  it('is standard input', async () => {
    const { exitCode, stdout } = await demo(['-'], { input: answer(['js', 'console.log(6 * 7)']) })
    expect(stdout).toContain('> 42')
    expect(exitCode).toBe(0)
  })

  it('ends at the first block that fails: exit code 1, and the rest is shown as not run', async () => {
    const input = answer(['sh', 'echo out; echo err >&2; exit 3'], ['sh', 'echo never'])
    const { exitCode, stdout } = await demo(['-'], { input })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('  > out\n')
    expect(stdout).toContain('  ! err\n')
    expect(stdout).toMatch(/1 {2}sh +error/)
    expect(stdout).toMatch(/2 {2}sh +not run/)
    expect(stdout).toContain('Block 1 of 2 ended with error, exit code 3.')
    expect(stdout).not.toContain('> never')
  })

  it('ends at its time limit', async () => {
    const seconds = uniqueSeconds()
    const { exitCode, stdout } = await demo(['-', '--timeout', '0.5'], {
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
      const { stdout } = await demo(['-'], { input, env: { FORCE_COLOR: '', ...env } })
      expect(stdout).not.toContain('\u001B')
    },
  )

  it('cannot play with the terminal', async () => {
    const input = answer(['sh', "printf '\\033]0;title\\007 10%%\\r20%%\\n'"])
    const { stdout } = await demo(['-'], { input })
    expect(stdout).toContain('  > ␛]0;title␇ 10%\r  > 20%\n')
  })

  it('shows output while the program runs', async () => {
    const seconds = uniqueSeconds()
    const { exitCode } = await demo(['-'], {
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
    const { exitCode, stdout } = await demo(['-'], {
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
    const { exitCode, stderr } = await demo(['-'], {
      input: answer(['sh', `while :; do echo more; sleep 0.05; done`]),
      onOutput: ['> more', (child) => child.stdout?.destroy()],
    })
    expect(exitCode).toBe(141)
    expect(stderr).toBe('')
  })
})

describe('bad input', () => {
  it.each<[string, string[], RegExp, string?]>([
    ['a file that is not there', ['nope.md'], /Cannot read nope\.md: there is no such file\./],
    ['a directory', ['.'], /Cannot read \.: it is a directory\./],
    ['no code block', ['-'], /standard input has no fenced code block/, 'Just prose.'],
    ['nothing at all', ['-'], /standard input is empty/, ''],
    ['bytes that are no text', ['-'], /standard input is not a text file/, 'a\0b'],
    ['a file without a name', [''], /name of the answer.s file is empty/],
    ['an unknown option', ['--fast'], /unknown option '--fast'/],
    ['two answers', ['a.md', 'b.md'], /too many arguments/],
    ['a time limit in words', ['--timeout', 'soon'], /number of seconds/],
    ['an option behind the -- of npm', ['--', '--fast'], /unknown option '--fast'/],
    ['a working directory without a name', ['--work-dir', ''], /path of a directory/],
    ['a time limit of nothing', ['--timeout', '0'], /number of seconds/],
    ['an isolation that does not exist', ['--isolation', 'docker'], /none or bubblewrap/],
    ['a place that does not exist', ['--executor', 'podman'], /local, docker or jupyter/],
    ['an image without a container', ['--image', 'x'], /--image is for --executor docker, and this is local/],
    [
      'an isolation of another place',
      ['--executor', 'docker', '--isolation', 'none'],
      /--isolation is for --executor local, and this is docker/,
    ],
    ['packages without a name', ['--executor', 'docker', '--packages', 'numpy,'], /names of packages/],
    [
      'a working directory below a file',
      ['-', '--work-dir', `${import.meta.filename}/x`],
      /could not be made/,
      answer(['sh', 'true']),
    ],
  ])('%s gives one clear line and exit code 2', async (_, args, message, input = '') => {
    const { exitCode, stdout, stderr } = await demo(args, { input })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^demo: .*\n$/)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
  })

  it('no room for files of its own is one too', async () => {
    const input = answer(['sh', 'true'])
    const { exitCode, stderr } = await demo(['-'], { input, env: { TMPDIR: join(folder, 'nowhere') } })
    expect(stderr).toMatch(/^demo: No directory can be made in .*\n$/)
    expect(exitCode).toBe(2)
  })

  it.each([
    ['an engine that is not there', [], /^demo: The Docker engine at unix:.*\(DOCKER_HOST\): no such socket/],
    [
      'an image that nothing can be called',
      ['--image', 'A:B:C'],
      /^demo: .*:\n {2}.*must be the name of an image/,
    ],
  ])('%s gives exit code 2', async (_, args, message) => {
    const env = { DOCKER_HOST: `unix://${folder}/no-engine` }
    const { exitCode, stdout, stderr } = await demo(['--executor', 'docker', ...args], { env })
    expect(stderr).toMatch(message)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
  })

  it('--version is no bad input', async () => {
    const { exitCode, stdout } = await demo(['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(exitCode).toBe(0)
  })

  it('--help is no bad input', async () => {
    const { exitCode, stdout } = await demo(['--help'])
    expect(stdout).toMatch(/Usage: pnpm demo/)
    expect(exitCode).toBe(0)
  })
})
