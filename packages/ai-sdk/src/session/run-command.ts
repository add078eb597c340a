import type { Readable } from 'node:stream'
import { exitCodes, FencedError } from '@fenced/core'
import type { SandboxProcess } from '@fenced/core/sandbox'
import type { NewRedactor } from './process-output.ts'
import { exitOf, type SessionCommand } from './session-shell.ts'

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

interface CommandToRun {
  readonly command: SessionCommand
  readonly maxOutputBytes: number
  readonly newRedactor: NewRedactor
}

/** Starts a command and collects what it writes, until it has ended or has written too much. A denial is its result. */
export async function runCommand(
  start: () => Promise<SandboxProcess>,
  command: CommandToRun,
): Promise<CommandResult> {
  try {
    return await collected(await start(), command)
  } catch (error) {
    if (!FencedError.isInstance(error) || error.code !== 'APPROVAL_DENIED') throw error
    return { exitCode: exitCodes.notExecutable, stdout: '', stderr: `${error.message}\n` }
  }
}

async function collected(
  process: SandboxProcess,
  { command, maxOutputBytes, newRedactor }: CommandToRun,
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
    const text = Buffer.concat(chunks).toString()
    const redactor = newRedactor()
    if (redactor === undefined) return text
    const shown = redactor.push(text)
    // A cut may be in the middle of a secret.
    return kept === maxOutputBytes ? shown : shown + redactor.end()
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
