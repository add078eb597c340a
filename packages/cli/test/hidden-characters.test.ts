// @module-tag all

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { visible } from '@fenced/errors/text'
import { describe, expect, it } from 'vitest'
import { anywhere, fenced, terminalCommand } from './command.ts'
import { python } from './requirements.ts'

const label = 'sh\u2066\u001B]0;owned\u0007\u202E'
const program = 'echo a\u202E\u200Bb \u001B[2J'
/** Makes a file with such a name, and has such a label in the block behind it. */
const hostile = `~~~sh\ntouch "$(printf 'a\\033[2J\\342\\200\\256\\nb')"\n~~~\n\n~~~${label}\n1\n~~~\n`

describe.concurrent('hidden characters of a model or a program', () => {
  it('are escapes in the lines of the command', async () => {
    const { code, stdout, stderr } = await fenced(['run', '-', ...anywhere], { input: hostile })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('fenced: a␛[2J[U+202E]␊b was created (0 bytes).\n')
    expect(stderr).toContain('unknown language sh␛]0;owned␇. ')
    expect(visible(stderr)).toBe(stderr)
  })

  it('are escapes in the reason why a file name is refused', { tags: 'nightly' }, async () => {
    const input = '~~~sh\n# filename: ../a\u202E\u200B\n1\n~~~\n'
    const { code, stderr } = await fenced(['run', '-', ...anywhere], { input })
    expect([code, stderr]).toEqual([126, expect.stringMatching(/^fenced: .+\n/)])
    expect(visible(stderr)).toBe(stderr)
    const { stdout } = await fenced(['run', '-', ...anywhere, '--json'], { input })
    expect(visible(stdout)).toBe(stdout)
    expect(JSON.parse(stdout.split('\n').find((line) => line.includes('"file-name"')) ?? '')).toMatchObject({
      type: 'notice',
      notice: { code: 'file-name', data: { path: '../a\u202E\u200B' } },
    })
  })

  it('are escapes of JSON in events, which a parser reads as they were', async () => {
    const { stdout } = await fenced(['run', '-', ...anywhere, '--json'], { input: hostile })
    expect(visible(stdout)).toBe(stdout)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.find(({ type }) => type === 'file').file.path).toBe('a\u001B[2J\u202E\nb')
    expect(events.findLast(({ type }) => type === 'block-start').block.language).toBe(
      'sh\u001B]0;owned\u0007',
    )
  })

  it('stay in code that goes into a file, and are escapes in its JSON', { tags: 'nightly' }, async () => {
    const input = `~~~sh\n${program}\n~~~\n`
    expect((await fenced(['extract', '-'], { input })).stdout).toBe(`${program}\n`)
    const { stdout } = await fenced(['extract', '-', '--json'], { input })
    expect(visible(stdout)).toBe(stdout)
    expect(JSON.parse(stdout)).toMatchObject([{ code: program }])
  })

  it.skipIf(python.missing)(
    'are escapes in what a program prints at a terminal, and unchanged in a pipe',
    async ({ onTestFinished }) => {
      const directory = await mkdtemp(join(tmpdir(), 'fenced-cli-'))
      onTestFinished(() => rm(directory, { recursive: true }))
      const file = join(directory, 'answer.md')
      await writeFile(file, "~~~sh\nprintf 'a\\033[8mb\\033[31mc'\n~~~\n")
      const { stdout } = await terminalCommand(['run', file, ...anywhere]).ended
      expect(stdout).toContain('a␛[8mb\u001B[31mc\u001B[0m\r\n')
      expect((await fenced(['run', file, ...anywhere])).stdout).toBe('a\u001B[8mb\u001B[31mc')
    },
  )

  it.skipIf(python.missing)('are escapes in code that a terminal shows', async ({ onTestFinished }) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-cli-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const file = join(directory, 'answer.md')
    await writeFile(file, `~~~sh\n${program}\n~~~\n`)
    const { stdout } = await terminalCommand(['extract', file]).ended
    expect(stdout.trimEnd()).toBe('echo a[U+202E][U+200B]b ␛[2J')
  })
})
