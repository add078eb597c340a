import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { stdioTransport } from '../../src/mcp/stdio-transport.ts'

test('a message is one line for every client, and its value is unchanged', async () => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
  using stdio = stdioTransport(streams)
  await stdio.transport.start()
  const text = 'a\u2028b\u2029c\u0085d\u{E0041}\n'
  const message = { jsonrpc: '2.0' as const, id: 1, result: { content: [{ type: 'text', text }] } }
  const written = once(streams.stdout, 'data')
  await stdio.transport.send(message)
  const line = `${(await written)[0]}`
  expect(line).toContain('a\\u2028b\\u2029c\\u0085d\\udb40\\udc41\\n')
  expect(JSON.parse(line)).toEqual(message)
})

test('a closed output is an error of the transport', async () => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
  using stdio = stdioTransport(streams)
  const failed = Promise.withResolvers<unknown>()
  stdio.transport.onerror = failed.resolve
  await stdio.transport.start()
  streams.stdout.destroy(new Error('closed'))
  expect(await failed.promise).toMatchObject({ message: 'closed' })
})
