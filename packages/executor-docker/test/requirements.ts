import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { requirement } from '@fenced/testing'
import type { Problems, Target, Targets } from './engines/probe.ts'

const { env } = process

/** Where the engines are, as `engines/engines start` has exported it. */
const dockerHost = env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
export const podmanHost = env.FENCED_TEST_PODMAN ?? 'unix:///not/started'

/** Docker over TCP; `certificates` is a folder as in `DOCKER_CERT_PATH`. */
export const remote = {
  host: env.FENCED_TEST_REMOTE ?? 'tcp://not-started:2376',
  certificates: env.FENCED_TEST_REMOTE_CERTS ?? '',
}

/** Docker over ssh; `config` is for `ssh -F`, and `path` a folder for the front of PATH whose `ssh` uses it. */
export const ssh = {
  host: env.FENCED_TEST_SSH ?? '',
  config: env.FENCED_TEST_SSH_CONFIG ?? '',
  path: env.FENCED_TEST_SSH_PATH ?? '',
}

const dockerTarget: Target = {
  host: dockerHost,
  certificates: env.DOCKER_TLS_VERIFY ? env.DOCKER_CERT_PATH : undefined,
}

const problems = problemsOf({
  docker: dockerTarget,
  runsc: { ...dockerTarget, runtime: 'runsc' },
  podman: { host: podmanHost },
  remote,
  ssh,
})

/** What the tests need of this machine. */
export const docker = requirement('docker', problems.docker)
export const runsc = requirement('runsc', problems.runsc)
export const podman = requirement(
  'podman',
  env.FENCED_TEST_PODMAN ? problems.podman : 'FENCED_TEST_PODMAN names no engine',
)
export const remoteDocker = requirement(
  'remote-docker',
  env.FENCED_TEST_REMOTE ? problems.remote : 'FENCED_TEST_REMOTE names no engine',
)
export const sshDocker = requirement(
  'ssh-docker',
  env.FENCED_TEST_SSH ? problems.ssh : 'FENCED_TEST_SSH names no engine',
)
export const dockerRegistry = requirement('docker-registry', registryProblem())

function problemsOf(targets: Targets): Problems {
  const probe = fileURLToPath(new URL('./engines/probe.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [probe], {
    input: JSON.stringify(targets),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The engines could not be asked: ${stderr}`)
  return JSON.parse(stdout)
}

function registryProblem(): string | undefined {
  const { error } = spawnSync('docker-registry', ['--version'])
  return error === undefined ? undefined : `the program docker-registry is not there (${error.message})`
}
