import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, demo, folder } from './demo.ts'

const input = answer([
  'sh',
  'echo made > made.txt\necho 2\necho 3\necho 4\necho 5\necho 6\necho 7\necho 8\necho 9\necho last',
])

describe('--approve never', () => {
  it.each<[string, string[], string, string?]>([
    ['the conversation', [], '# filename: collatz.py'],
    ['repair', ['repair'], '# filename: fibonacci.py'],
    ['an answer', ['--answer', '-'], '    echo last\n', input],
  ])('shows of %s what would have run, and that it was denied', async (_, args, code, given = '') => {
    const workDir = join(folder, `never-${args.length}`)
    const { exitCode, stdout, stderr } = await demo([...args, '--approve', 'never', '--work-dir', workDir], {
      input: given,
    })
    expect(stdout).toContain(code)
    expect(stdout).toContain('not approved. Reason: No code is run here, as --approve never says.')
    expect(stdout).not.toContain('Traceback')
    expect(await readdir(workDir)).toEqual([])
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
  })
})

describe('--approve always', () => {
  it.each([['--approve', 'always'], ['--yes'], []])('runs an answer: %s %s', async (...args) => {
    const { exitCode, stdout } = await demo(['--answer', '-', ...args.filter(Boolean)], { input })
    expect(stdout).toContain('> last')
    expect(exitCode).toBe(0)
  })
})

describe('--approve ask where nobody can be asked', () => {
  it.each<[string, string[]]>([
    ['the conversation', []],
    ['repair', ['repair']],
    ['an answer', ['--answer', 'any.md']],
  ])('%s is one clear line, and nothing runs', async (_, args) => {
    const { exitCode, stdout, stderr } = await demo([...args, '--approve', 'ask'])
    expect(stderr).toMatch(/^demo: Nobody can be asked .* --approve always or --approve never\.\n$/)
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })
})
