import type { Socket } from 'node:net'
import { FrameReader, partsOf } from '@fenced/sandbox/internal'

/** The process number of a fork server that says that it is ready; `undefined` when another program answers, or none. */
export function firstAnswer(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const frames = new FrameReader({
    flowing: '',
    flow: () => {},
    whole: (kind, body) => {
      // Its next word is for the reader of its stream.
      socket.pause().removeListener('data', receive)
      resolve(kind === 'h' ? Number(partsOf(body)[1]) : undefined)
    },
  })
  const receive = (chunk: Buffer) => {
    try {
      frames.push(chunk)
    } catch {
      // Another program of this user can end the shared Python and listen under its name.
      socket.destroy()
    }
  }
  socket.on('data', receive)
  socket.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
  return promise
}
