import { spawn } from 'node:child_process'

/** Runs a program as Node does without Fenced, its streams piped; resolves to the bytes of stdout once it is over. */
export async function bareProcess(program: string, args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let byteCount = 0
  child.stdout.on('data', (chunk: Uint8Array) => {
    byteCount += chunk.length
  })
  child.stderr.resume()
  child.once('error', reject)
  child.once('close', () => resolve(byteCount))
  return promise
}
