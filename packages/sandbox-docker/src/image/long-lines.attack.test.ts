import { expect, it } from 'vitest'
import { BuildOutput } from './build/build-output.ts'
import { PipOutput } from './packages/pip-output.ts'
import { ThrottledNotices } from './throttled-notices.ts'

const notices = new ThrottledNotices({ signal: new AbortController().signal, notice: () => {} }, 'install')
const secret = 'a-password-of-mine'
const piece = Buffer.alloc(100_000, 'x')

it.each([Buffer.of(), Buffer.from('\n')])(
  'a package that writes lines of 20 MB leaves a few kB of them',
  (end) => {
    const output = new PipOutput(notices, { TOKEN: secret })
    for (let count = 0; count < 200; count++) output.take('stderr', piece)
    output.take('stderr', Buffer.concat([Buffer.from('the end'), end]))
    expect(output.tail).toMatch(/xthe end$/)
    expect(output.tail.length).toBeLessThan(10_000)
  },
)

it('a line that is cut shows no part of a secret, wherever the cut is', () => {
  for (let after = 4_000; after < 4_200; after += 1) {
    const output = new PipOutput(notices, { TOKEN: secret })
    output.take('stderr', Buffer.from(`${'x'.repeat(5_000)}${secret}${'y'.repeat(after)}`))
    expect(output.tail).toMatch(/^x*(\[redacted\]|[a-z]*\])?y+$/)
    expect(output.tail).not.toMatch(/mine|-of-|password/)
  }
})

it('a build that writes a line of 20 MB leaves a few kB of it', () => {
  const output = new BuildOutput(notices)
  for (let count = 0; count < 200; count++) output.take(piece.toString())
  output.take('the end\n')
  expect(output.lastLines).toMatch(/xthe end$/)
  expect(output.lastLines.length).toBeLessThan(10_000)
})
