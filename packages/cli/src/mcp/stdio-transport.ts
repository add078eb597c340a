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

/** Reads messages from standard input. A message that is too large gets an error, and the next messages are read. */
export function stdioTransport({ stdin, stdout } = process): StdioTransport {
  const lines = new MessageLines({
    maxBytes: largestMessage,
    onTooLong: (id) => void refuse(id).catch(() => {}),
  })
  // The lines are bounded already.
  const transport = new StdioServerTransport(lines, stdout, { maxBufferSize: Number.POSITIVE_INFINITY })
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
