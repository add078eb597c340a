import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/testing'

/** The engine of these tests, which has to be a socket of this machine. */
export const dockerHost = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'

export const dockerCli = requirement('docker-cli', problemOf('docker', ['--version']))
export const dockerEngine = requirement(
  'docker',
  dockerHost.startsWith('unix://')
    ? problemOf('docker', ['version'])
    : 'DOCKER_HOST names no engine on a unix socket',
)
export const image = 'fenced-test/busybox'
export const testImage = requirement(
  'docker-test-image',
  dockerEngine.missing ? 'there is no engine' : problemOf('docker', ['image', 'inspect', image]),
)
export const openssl = requirement('openssl', problemOf('openssl', ['version']))
export const sshServer = requirement('sshd', problemOf('/usr/sbin/sshd', ['-V'], /OpenSSH/))

function problemOf(program: string, args: readonly string[], sign?: RegExp): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args)
  if (error !== undefined) return `the program ${program} is not there (${error.message})`
  // An older sshd knows no -V, but says who it is.
  if (sign?.test(`${stdout}${stderr}`)) return undefined
  return status === 0 ? undefined : `${program} ${args.join(' ')}: ${stderr.toString().trim()}`
}
