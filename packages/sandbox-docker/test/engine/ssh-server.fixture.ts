import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.fixture.ts'

export interface SshServer {
  /** `ssh://user@127.0.0.1:port` */
  readonly address: string
  /** An environment in which `ssh` knows the server and the key. */
  readonly environment: NodeJS.ProcessEnv
  /** Makes the server one that nobody knows. */
  forgetHostKey(): void
  /** Breaks the connections that are open. */
  dropConnections(): void
}

/** A real sshd on the loopback address, until the test has finished. */
export async function startSshServer(): Promise<SshServer> {
  const folder = temporaryFolder()
  const port = await freePort()
  const path = (name: string) => join(folder, name)
  for (const key of ['host_key', 'identity']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(key)])
  }
  copyFileSync(path('identity.pub'), path('authorized_keys'))
  writeFileSync(path('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(path('host_key.pub'))}`)
  writeFileSync(path('sshd_config'), serverSettings(path, port))
  writeFileSync(path('config'), clientSettings(path))
  // What the package's own service makes before it starts sshd.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', path('sshd_config')], { stdio: 'ignore' })
  onTestFinished(() => void server.kill())
  await untilListening(port)
  return {
    address: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    environment: { ...process.env, PATH: pathWithSsh(`exec /usr/bin/ssh -F ${path('config')} "$@"`) },
    forgetHostKey: () => writeFileSync(path('known_hosts'), ''),
    dropConnections: () => {
      const sessions = execFileSync('pgrep', ['-P', `${server.pid}`])
      for (const id of sessions.toString().trim().split(/\s+/)) process.kill(Number(id))
    },
  }
}

/** A PATH on which `ssh` is this script. */
export function pathWithSsh(script: string): string {
  const folder = temporaryFolder({ ssh: `#!/bin/sh\n${script}\n` })
  chmodSync(join(folder, 'ssh'), 0o755)
  return `${folder}${delimiter}${process.env.PATH}`
}

function serverSettings(path: (name: string) => string, port: number): string {
  return `ListenAddress 127.0.0.1
Port ${port}
HostKey ${path('host_key')}
AuthorizedKeysFile ${path('authorized_keys')}
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
MaxStartups 8:100:8
`
}

function clientSettings(path: (name: string) => string): string {
  return `IdentityFile ${path('identity')}
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile ${path('known_hosts')}
GlobalKnownHostsFile /dev/null
`
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function untilListening(port: number): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const socket = net.connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (connected) return
    await delay(50)
  }
  throw new Error('sshd does not listen')
}
