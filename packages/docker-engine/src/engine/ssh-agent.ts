import { Agent } from 'node:http'
import type { SshAddress } from './address.ts'
import { SshConnection } from './ssh-connection.ts'

/**
 * Reaches an engine as docker's CLI does (cli/connhelper): through the system's `ssh`, so that ~/.ssh/config, agents
 * and known hosts hold. docker-modem's own ssh accepts every host key.
 */
export class SshAgent extends Agent {
  readonly #args: readonly string[]
  readonly #environment: NodeJS.ProcessEnv

  constructor(address: SshAddress, environment: NodeJS.ProcessEnv) {
    // Kept, because a connection costs a handshake; SshConnection ends itself when it was idle for long.
    super({ keepAlive: true })
    this.#args = sshArguments(address)
    this.#environment = environment
  }

  override createConnection(): SshConnection {
    return new SshConnection(this.#args, this.#environment)
  }
}

export function sshArguments({ user, port, host, path }: SshAddress): string[] {
  const socket = path === undefined ? [] : [quoted(`--host=unix://${path}`)]
  return [
    ...['-o', 'ConnectTimeout=30', '-T'],
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    // No host can pass for an option of ssh.
    ...['--', host, 'docker', ...socket, 'system', 'dial-stdio'],
  ]
}

/** ssh joins its arguments with blanks, and the shell over there reads them. */
function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
