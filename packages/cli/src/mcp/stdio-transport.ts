import { type Readable, Writable } from 'node:stream'
import { visibleJson } from '@fenced/errors/text'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { MessageLines } from './message-lines.ts'

/** How large a message of the client can be, in bytes. */
const largestMessage = 10 * 2 ** 20

/** The code that the SDK has for a body that is too large, over HTTP. */
const tooLarge = -32_000

/** Messages over standard input and output. */
export interface StdioTransport extends Disposable {
  readonly transport: StdioServerTransport
}

interface StandardStreams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** Reads messages from standard input. A message that is too large gets an error, and the next messages are read. */
export function stdioTransport(streams: StandardStreams = process): StdioTransport {
  const { stdin, stdout } = streams
  const lines = new MessageLines({
    maxBytes: largestMessage,
    onTooLong: (id) => void refuse(id).catch(() => {}),
  })
  // The lines are bounded already.
  const transport = new StdioServerTransport(lines, escapedLines(stdout), {
    maxBufferSize: Number.POSITIVE_INFINITY,
  })
  const refuse = (id: string | number | undefined) =>
    transport.send({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      error: {
        code: tooLarge,
        message: `The message has more than ${largestMessage} bytes and was not read. Send less at a time, or let a program make the content.`,
      },
    })
  stdin.pipe(lines)
  return {
    transport,
    [Symbol.dispose]() {
      stdin.unpipe(lines)
      stdin.pause()
    },
  }
}

/** Writes lines of JSON with invisible characters as escapes: some clients also end a line at U+2028, U+2029 or U+0085. */
function escapedLines(stdout: Writable): Writable {
  const lines = new Writable({
    decodeStrings: false,
    write: (line: string, _, done) => {
      stdout.write(`${visibleJson(JSON.parse(line))}\n`, done)
    },
  })
  stdout.on('error', (error) => lines.destroy(error))
  return lines
}
