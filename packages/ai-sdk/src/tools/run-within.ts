import { afterTime } from '@fenced/shared'
import type { SandboxSession } from '../ai-sdk.ts'
import { KeptText } from './kept-text.ts'

export interface BoundedCommand {
  readonly command: string
  readonly abortSignal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Of each stream. */
  readonly maxCharacters: number
}

export interface BoundedResult {
  /** `undefined` when it was ended at its time limit. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command, and keeps what it wrote also where its time was over. Rejects with the signal's reason. */
export async function runWithin(
  session: SandboxSession,
  { command, abortSignal, timeoutMs, maxCharacters }: BoundedCommand,
): Promise<BoundedResult> {
  const process = await session.spawn({ command, ...(abortSignal === undefined ? {} : { abortSignal }) })
  const texts = [process.stdout, process.stderr].map((stream) => collect(stream, maxCharacters))
  let isLate = false
  using _ = afterTime(timeoutMs, () => {
    isLate = true
    void process.kill()
  })
  const [{ exitCode }, stdout = '', stderr = ''] = await Promise.all([process.wait(), ...texts])
  return { exitCode: isLate ? undefined : exitCode, stdout, stderr }
}

async function collect(stream: ReadableStream<Uint8Array>, maxCharacters: number): Promise<string> {
  const kept = new KeptText(maxCharacters)
  const decoder = new TextDecoder()
  for await (const chunk of stream) kept.add(decoder.decode(chunk, { stream: true }))
  kept.add(decoder.decode())
  return `${kept}`
}
