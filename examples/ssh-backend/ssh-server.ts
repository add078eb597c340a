import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SshOptions } from './ssh-connection.ts'

/** A real sshd on the loopback address, for tests. */
export interface SshServer extends Disposable {
  /** How it is reached. */
  readonly options: SshOptions
  /** Cuts the connections that are open. */
  cut(): void
}

/** Why there can be none; `undefined` when there can. */
export function sshServerProblem(): string | undefined {
  const { error, stderr } = spawnSync('/usr/sbin/sshd', ['-V'])
  if (error !== undefined) return `the program /usr/sbin/sshd is not there (${error.message})`
  // An older sshd knows no -V, but says who it is.
  return /OpenSSH/.test(`${stderr}`) ? undefined : `sshd -V: ${stderr}`
}

export async function startSshServer(): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-sshd-'))
  const path = (name: string) => join(folder, name)
  mkdirSync(path('home'))
  for (const key of ['host_key', 'identity']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(key)])
  }
  const port = await freePort()
  renameSync(path('identity.pub'), path('authorized_keys'))
  writeFileSync(path('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(path('host_key.pub'))}`)
  writeFileSync(path('sshd_config'), serverSettings(path, port))
  writeFileSync(path('config'), clientSettings(path, port))
  // What the package's own service makes before it starts sshd.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', path('sshd_config')], { stdio: 'ignore' })
  await untilListening(port)
  return {
    options: { destination: 'fenced-test', sshOptions: ['-F', path('config')] },
    cut() {
      const sessions = execFileSync('pgrep', ['-P', `${server.pid}`])
      for (const id of sessions.toString().trim().split(/\s+/)) process.kill(Number(id), 'SIGKILL')
    },
    [Symbol.dispose]() {
      server.kill()
      rmSync(folder, { recursive: true })
    },
  }
}

function serverSettings(path: (name: string) => string, port: number): string {
  // A separate home, because Bash reads ~/.bashrc for sshd, which is not tested.
  return `ListenAddress 127.0.0.1
SetEnv HOME=${path('home')}
Port ${port}
HostKey ${path('host_key')}
AuthorizedKeysFile ${path('authorized_keys')}
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
`
}

function clientSettings(path: (name: string) => string, port: number): string {
  return `Host fenced-test
  HostName 127.0.0.1
  Port ${port}
  User ${userInfo().username}
  IdentityFile ${path('identity')}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile ${path('known_hosts')}
  GlobalKnownHostsFile /dev/null
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function untilListening(port: number): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const socket = connect(port, '127.0.0.1')
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isConnected) return
    await delay(50)
  }
  throw new Error('sshd does not listen')
}
