import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { OutputStreams } from './output-streams.ts'

const chunk = Buffer.alloc(65_536, 'x')

describe('OutputStreams', () => {
  it('keep what comes before somebody reads', async () => {
    const streams = new OutputStreams()
    await streams.write('stdout', Buffer.from('out'))
    await streams.write('stderr', Buffer.from('err'))
    streams.end()
    expect(await Promise.all([text(streams.stdout), text(streams.stderr)])).toEqual(['out', 'err'])
  })

  it('copy what comes, because its memory is used again', async () => {
    const streams = new OutputStreams()
    const reused = Buffer.from('one')
    await streams.write('stdout', reused)
    reused.write('two')
    streams.end()
    expect(await text(streams.stdout)).toBe('one')
  })

  it('hold the process up while the reader of a stream is behind', async () => {
    const streams = new OutputStreams()
    const reader = streams.stdout[Symbol.asyncIterator]()
    const first = reader.next()
    const held = fillUntilHeld(streams)
    expect(held).toBeInstanceOf(Promise)
    await first
    await held
    await reader.return?.()
  })

  it('do not hold the process up for a stream that nobody reads, and count what is dropped of it', async () => {
    const streams = new OutputStreams()
    const stdout = text(streams.stdout)
    for (let count = 0; count < 32; count++) expect(streams.write('stderr', chunk)).toBeUndefined()
    await streams.write('stdout', Buffer.from('read'))
    streams.end()
    expect(await stdout).toBe('read')
    let bytes = 0
    const read = async () => {
      for await (const part of streams.stderr) bytes += part.length
    }
    await expect(read()).rejects.toThrow(/^1048576 bytes of this stream were dropped/)
    expect(bytes).toBe(2 ** 20)
  })

  it('let go of a process whose reader goes away', async () => {
    const streams = new OutputStreams()
    streams.stdout.on('readable', () => {})
    const held = fillUntilHeld(streams)
    streams.stdout.destroy()
    await held
    expect(streams.write('stdout', chunk)).toBeUndefined()
  })

  it('keep nothing of a wait for a reader that is over', async () => {
    const streams = new OutputStreams()
    const reader = streams.stdout[Symbol.asyncIterator]()
    let next = reader.next()
    const before = streams.stdout.listenerCount('close')
    for (let wait = 0; wait < 20; wait++) {
      const held = fillUntilHeld(streams)
      expect(held).toBeInstanceOf(Promise)
      const read = next
      next = reader.next()
      await Promise.all([read, held])
    }
    expect(streams.stdout.listenerCount('close')).toBe(before)
    streams.end()
    while (!(await next).done) next = reader.next()
  })
})

/** Writes until a write is to be waited for. */
function fillUntilHeld(streams: OutputStreams): Promise<void> | undefined {
  for (let count = 0; count < 100; count++) {
    const held = streams.write('stdout', chunk)
    if (held !== undefined) return held
  }
  return undefined
}
