import type { Readable } from 'node:stream'
import type { SandboxProcess } from '@fenced/core/sandbox'
import { exitOf, type SessionCommand } from './session-shell.ts'

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Collects what a command writes, until it has ended or has written too much. */
export async function runCommand(
  process: SandboxProcess,
  { command, maxOutputBytes }: { readonly command: SessionCommand; readonly maxOutputBytes: number },
): Promise<CommandResult> {
  let isTooMuch = false
  const collect = async (stream: Readable) => {
    const chunks: Uint8Array[] = []
    let kept = 0
    for await (const chunk of stream) {
      const part = chunk.subarray(0, maxOutputBytes - kept)
      kept += part.length
      if (part.length > 0) chunks.push(part)
      if (part.length === chunk.length) continue
      isTooMuch = true
      void process.kill()
    }
    return Buffer.concat(chunks).toString()
  }
  const [stdout, stderr, end] = await Promise.all([
    collect(process.stdout),
    collect(process.stderr),
    process.ended,
  ])
  if (!isTooMuch) return { ...exitOf(end, command), stdout, stderr }
  command.abortSignal?.throwIfAborted()
  const note = `The command was killed: it wrote more than ${maxOutputBytes} bytes. Write into a file instead.\n`
  return { exitCode: killed, stdout, stderr: stderr === '' ? note : `${stderr}\n${note}` }
}

/** As a shell reports SIGKILL. */
const killed = 137
