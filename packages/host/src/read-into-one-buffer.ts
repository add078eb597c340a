import { Socket, type SocketConstructorOpts } from 'node:net'
import type { Readable } from 'node:stream'

/** As long as a chunk of Node's. What is read is taken before the next read, so all pipes can share it. */
const buffer = new Uint8Array(65_536)

/**
 * Reads a child's pipe into the same buffer again and again. Node's own way, a new buffer of 64 KiB for every
 * chunk, costs more than all else that becomes of the chunk, and under a flood the garbage is what fills memory.
 *
 * `onread` (net.Socket) is the documented way, but it can only be asked for when a socket is made, and a child's
 * are made by Node: so a second socket takes the handle over. That handle is not public; where there is none, the
 * pipe is read as usual.
 *
 * @param take - must copy what it keeps of the chunk.
 * @returns the stream to pause, to resume and to destroy in the place of `pipe`.
 */
export function readIntoOneBuffer(pipe: Readable, take: (chunk: Uint8Array) => void): Readable {
  const owner = pipe as Readable & { _handle?: object | null }
  const handle = owner._handle
  if (handle === undefined || handle === null) return pipe.on('data', take)
  owner._handle = null
  const callback = (size: number) => {
    take(size === buffer.length ? buffer : buffer.subarray(0, size))
    return true
  }
  const options = { handle, writable: false, onread: { buffer, callback } }
  const socket = new Socket(options as unknown as SocketConstructorOpts)
  // Whoever waits for the end of the pipe itself, as execa does, learns of it too.
  socket.once('close', () => pipe.destroy())
  return socket.resume()
}
