import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { readArguments } from '../src/command-line/arguments.ts'
import { reportError } from '../src/report-error.ts'
import { answer, demo, type Ended, folder } from './demo.ts'

/** How the demo ends at arguments that it refuses, in this process: it has not yet begun anything. */
function refuse(args: readonly string[]): Pick<Ended, 'exitCode' | 'stdout' | 'stderr'> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += text
      return true
    }),
  )
  try {
    readArguments(args)
    return { exitCode: null, ...written }
  } catch (error) {
    const exitCode = reportError(error)
    return { exitCode, ...written }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describe('bad input', () => {
  it('of arguments gives one clear line and exit code 2', ({ everyRow }) =>
    everyRow<[string, string[], RegExp]>(
      [
        ['an unknown option', ['--fast'], /unknown option '--fast'/],
        ['a mistyped option', ['--anwser', 'a.md'], /unknown option '--anwser' \(Did you mean --answer\?\)/],
        ['a mistyped command', ['repiar'], /^demo: "repiar" is no command\. Did you mean repair\? --help/],
        ['a file that is no option', ['a.md'], /"a\.md" is no option: a file is run with --answer a\.md/],
        ['a time limit in words', ['--timeout', 'soon'], /number of seconds/],
        ['an option behind the -- of npm', ['--', '--fast'], /unknown option '--fast'/],
        ['a working directory without a name', ['--work-dir', ''], /path of a directory/],
        ['a time limit of nothing', ['--timeout', '0'], /number of seconds/],
        ['an isolation that does not exist', ['--isolation', 'docker'], /none or bubblewrap/],
        ['an executor that does not exist', ['--executor', 'podman'], /local, docker or jupyter/],
        [
          'an image for a module',
          ['--executor', './a.ts', '--image', 'x'],
          /for --executor docker, and this is \.\/a\.ts/,
        ],
        [
          'an image without a container',
          ['--image', 'x'],
          /--image is for --executor docker, and this is local/,
        ],
        [
          'an isolation of another executor',
          ['--executor', 'docker', '--isolation', 'none'],
          /--isolation is for --executor local, and this is docker/,
        ],
        ['a task for the scripted model', ['--task', 'x'], /--task needs a real model/],
        ['a server without a model', ['--base-url', 'http://x/v1'], /--base-url is the address of a --model/],
        ['pictures without a model', ['--pictures'], /--pictures are for a --model/],
        ['an approval that does not exist', ['--approve', 'maybe'], /ask, always or never/],
        ['two answers about asking', ['--yes', '--approve', 'never'], /--yes is short for --approve always/],
        [
          'nobody to ask',
          ['--answer', '-', '--approve', 'ask'],
          /nobody to ask where standard input is the answer/,
        ],
        ['a file to repair', ['repair', '--answer', '-'], /--answer runs a file, and repairs nothing/],
        ['a file behind repair', ['repair', 'a.md'], /"a\.md" is no option/],
        ['a task for the scripted repair', ['repair', '--task', 'x'], /--task needs a real model/],
        ['a file and a task', ['--answer', '-', '--model', 'a/b'], /no conversation for --task and --model/],
        ['a model without a provider', ['--model', 'gpt'], /provider\/name/],
        ['a server that is no address', ['--model', 'a/b', '--base-url', 'here'], /an address such as/],
        ['a task without words', ['--model', 'a/b', '--task', ' '], /what the model is asked to do/],
        ['packages without a name', ['--executor', 'docker', '--packages', 'numpy,'], /names of packages/],
      ],
      (_, args, message) => {
        const { exitCode, stdout, stderr } = refuse(args)
        expect(stderr).toMatch(message)
        expect(stderr).toMatch(/^demo: .*\n$/)
        expect(exitCode).toBe(2)
        expect(stdout).toBe('')
      },
    ))

  it.each<[string, string[], RegExp, string?]>([
    ['a file that is not there', ['--answer', 'nope.md'], /Cannot read nope\.md: there is no such file\./],
    ['a directory', ['--answer', '.'], /Cannot read \.: it is a directory\./],
    ['no code block', ['--answer', '-'], /standard input has no fenced code block/, 'Just prose.'],
    ['nothing at all', ['--answer', '-'], /standard input is empty/, ''],
    ['bytes that are no text', ['--answer', '-'], /standard input is not a text file/, 'a\0b'],
    ['a file without a name', ['--answer', ''], /name of the answer.s file is empty/],
    ['a mistyped option of the program', ['--anwser', 'a.md'], /\(Did you mean --answer\?\)/],
    ['a module that is not there', ['--executor', './none.ts'], /\.\/none\.ts cannot be loaded: /],
    [
      'a working directory below a file',
      ['--answer', '-', '--work-dir', `${import.meta.filename}/x`],
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
    const { exitCode, stderr } = await demo(['--answer', '-'], {
      input,
      env: { TMPDIR: join(folder, 'nowhere') },
    })
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
