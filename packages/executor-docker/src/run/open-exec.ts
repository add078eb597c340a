import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'

/** Where an exec runs, and as whom. */
export interface ExecPlace {
  readonly container: Docker.Container
  readonly user: string
  readonly workingDirectory: string
}

/** A process in a container that waits for what it is to do. */
export interface OpenExec {
  readonly exec: Docker.Exec
  /** What `FENCED_RUN_ID` says in it. */
  readonly runId: string
  /** Its stdin and its output; whatever becomes of it, its end stops the process. */
  readonly connection: Duplex
}

/** @throws what the engine answers when it cannot be made. */
export async function openExec(
  { container, user, workingDirectory }: ExecPlace,
  command: readonly string[],
  signal: AbortSignal,
): Promise<OpenExec> {
  const runId = randomBytes(16).toString('hex')
  const exec = await container.exec({
    Cmd: [...command],
    Env: [`FENCED_RUN_ID=${runId}`],
    User: user,
    WorkingDir: workingDirectory,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal: signal,
  })
  const connection = writable(await exec.start({ hijack: true, abortSignal: signal }))
  // Of a connection that is gone; its end is what is looked at.
  connection.on('error', () => {})
  return { exec, runId, connection }
}

/** Whether its connection alone keeps this process going. */
export function setKeepsUs({ connection }: OpenExec, keeps: boolean): void {
  const socket = connection as { ref?: () => void; unref?: () => void }
  socket[keeps ? 'ref' : 'unref']?.()
}

/** Docker-modem also gives the answer of a proxy that knows no upgrades, through which nothing can be sent. */
function writable(connection: Duplex): Duplex {
  if (connection.writable) return connection
  connection.destroy()
  throw new Error(
    'it did not open a connection in both directions (HTTP upgrade), as when a proxy in between does not know them',
  )
}
