import { describe, expect, it } from 'vitest'
import { play, python } from './pseudo-terminal.ts'

describe.skipIf(python.missing)('a conversation at a terminal', () => {
  const prompt = { expect: 'Replying as code_executor' }

  it('shows the question behind the message, and the banners behind the answer', async () => {
    const { output, exitCode, restored } = await play({
      program: 'chat.ts',
      columns: 40,
      steps: [prompt, { type: '\r' }],
    })
    const text = plain(output)
    const line = '-'.repeat(40)
    expect(text).toContain(
      `Please run it.\n\n${line}\nReplying as code_executor\n\n>>>>>>>> NO HUMAN INPUT RECEIVED.\n`,
    )
    expect(text).toContain(`Code output: \n233\n\n\n${line}\n\n>>>>>>>> USING AUTO REPLY...\n`)
    expect(text).not.toContain('-'.repeat(41))
    expect(output).toContain('\u001B[33mcode_writer\u001B[39m')
    expect([exitCode, restored]).toEqual([0, true])
  })

  it('is shown without colors where they are not wanted', async () => {
    const env = { NO_COLOR: '1' }
    const { output } = await play({ program: 'chat.ts', env, steps: [prompt, { type: '\r' }] })
    expect(output).toContain('233')
    expect(output).not.toContain('\u001B[3')
  })

  it('ends with Ctrl-C at the question', async () => {
    const { output, exitCode } = await play({ program: 'chat.ts', steps: [prompt, { type: '\u0003' }] })
    expect(output).not.toContain('EXECUTING')
    expect(exitCode).toBe(0)
  })
})

/** What is read of it. */
function plain(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences.
  return output.replaceAll(/\u001B\[[?\d;]*[A-Za-z]/g, '').replaceAll(/\r+\n/g, '\n')
}
