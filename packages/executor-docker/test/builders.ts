import { spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { requirement } from '@fenced/testing'

export const dockerCli = requirement('docker-cli', problemOf(process.env.PATH))

/** A docker command without its plug-in buildx has no BuildKit; another one on the PATH may have it built in. */
const buildkitPath = pathWithBuildkit()
export const dockerBuildkit = requirement(
  'docker-buildkit',
  buildkitPath === undefined ? 'no docker command on the PATH builds with BuildKit' : undefined,
)

/** Variables with which the docker command builds with BuildKit. */
export const buildkit = { DOCKER_BUILDKIT: '1', PATH: buildkitPath ?? '' }

/** The builders of the docker command that can be had, for `describe.each`. */
export const builders = [
  { name: 'the classic builder', needs: dockerCli, variables: { DOCKER_BUILDKIT: '0' } },
  { name: 'BuildKit', needs: dockerBuildkit, variables: buildkit },
].filter(({ needs }) => !needs.missing)

function pathWithBuildkit(): string | undefined {
  const path = process.env.PATH ?? ''
  return path
    .split(delimiter)
    .filter((folder) => problemOf(folder, { DOCKER_BUILDKIT: '1' }) === undefined)
    .map((folder) => `${folder}${delimiter}${path}`)[0]
}

function problemOf(path: string | undefined, variables: Record<string, string> = {}): string | undefined {
  const env = { ...process.env, ...variables, PATH: path }
  const { status, error, stderr } = spawnSync('docker', ['build', '--help'], { env, encoding: 'utf8' })
  return error?.message ?? (status === 0 ? undefined : stderr)
}
