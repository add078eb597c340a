// @module-tag all

import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fenced } from './command.ts'

describe('fenced completion', () => {
  it.each([
    [['fenced', ''], 'run shell chat extract notebook doctor mcp web completion'],
    [['fenced', 'ex'], 'extract'],
    [['fenced', 'run', '--i'], '--isolation --image'],
    // Of these the shell itself completes the names of files.
    [['fenced', 'run', ''], ''],
    [['fenced', 'run', '--work-dir', ''], ''],
    [['fenced', 'mcp', '-e', 'd'], 'docker'],
    [['fenced', 'notebook', '--out'], '--output'],
    [['fenced', 'completion', 'z'], 'zsh'],
    [['fenced', 'doctor', 'k'], 'kubernetes'],
  ])('completes %j in bash', async (words, expected) => {
    const { code, stdout } = await fenced(['completion', 'bash'])
    expect(code).toBe(0)
    const list = words.map((word) => `'${word}'`).join(' ')
    const script = `${stdout}\nCOMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}\n_fenced\necho "\${COMPREPLY[@]}"`
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()).toBe(expected)
  })

  it('has a script for zsh and for fish', async () => {
    expect((await fenced(['completion', 'zsh'])).stdout).toContain('bashcompinit\n_fenced()')
    const { stdout } = await fenced(['completion', 'fish'])
    expect(stdout).toContain(
      "-n '__fish_seen_subcommand_from run' -l executor -s e -xa 'auto local docker jupyter kubernetes'",
    )
    expect(stdout).toContain("-n '__fish_seen_subcommand_from doctor' -fa bubblewrap\n")
  })

  it('knows its shells', async () => {
    const { code, stderr } = await fenced(['completion', 'tcsh'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
  })
})
