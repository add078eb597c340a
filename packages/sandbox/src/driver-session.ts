import { statSync } from 'node:fs'
import type { BlockIo } from '@fenced/core/driver'
import type { CommandLineDriverParts } from './command-line-driver-parts.ts'
import { objectOf } from './session/session-cell.ts'
import { noSession, StatefulPython } from './session/stateful-python.ts'

/**
 * The session of Python blocks, with `stateful`.
 *
 * @throws FencedError `INVALID_OPTIONS` where no session can run.
 */
export function sessionOf(parts: CommandLineDriverParts): StatefulPython | undefined {
  const { stateful, warm, figures, killGraceMs, workDirectory, checkpoints } = parts
  if (!stateful) return undefined
  if (parts.sandbox.capabilities.isolation === 'none' && process.platform !== 'linux')
    throw noSession(`sessions need Linux, and this system is ${process.platform}.`)
  const preload = typeof warm === 'object' ? (warm.preload ?? []) : []
  return new StatefulPython({
    preload,
    figures,
    killGraceMs,
    ...checkpoints,
    directoryIdentity: () => identityOf(workDirectory.hostPath),
  })
}

/** An undo reports the tools that the undone block called. */
export function noteTools(io: BlockIo, session: StatefulPython): BlockIo {
  const { tools } = io
  if (tools === undefined) return io
  const answer = (message: string | undefined) => {
    const { tool } = objectOf(message ?? '')
    if (typeof tool === 'string') session.called(tool)
    return tools.answer(message)
  }
  const { maxMessageBytes, pythonFunctions } = tools
  return { ...io, tools: { maxMessageBytes, pythonFunctions, answer } }
}

/** No other directory has the same while this one is mounted in a sandbox. */
function identityOf(directory: string): string {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false })
  return `${stat?.dev}:${stat?.ino}`
}
