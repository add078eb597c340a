import { readdirSync, readFileSync } from 'node:fs'

/** What a process says first. */
export async function firstOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return Buffer.from(value ?? []).toString()
}

/** Waits until a process with this text on its command line is there. */
export async function begun(mark: string): Promise<void> {
  const deadline = AbortSignal.timeout(30_000)
  while (!commandLines().some((line) => line.includes(mark))) {
    deadline.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Of all processes, those in containers included. */
export function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
}
