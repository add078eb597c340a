import { exitCodes, FencedError } from '@fenced/core'
import { findProgram, runProcess, withTrustedPath } from '@fenced/host'

/** How an image is built by a command. */
export interface BuildCommand {
  /** The engine's. */
  readonly address: string
  readonly environment: NodeJS.ProcessEnv
  /** What follows `docker build`. */
  readonly arguments: readonly string[]
}

/** What {@link runBuildCommand} reports, and what ends it. */
export interface BuildIo {
  readonly signal: AbortSignal
  write(text: string): void
}

/** How long a command that is cancelled may take to end, in milliseconds. */
const killGraceMs = 2_000

/**
 * Runs the docker command, or podman if docker is not installed.
 *
 * @returns its exit code.
 * @throws FencedError `BUILD_COMMAND_NOT_FOUND`; `PROGRAM_WRITABLE` where code could replace the command.
 */
export async function runBuildCommand(command: BuildCommand, io: BuildIo): Promise<number> {
  const { address } = command
  const env = environmentOf(command)
  for (const [name, ...options] of [['docker'], ['podman', '--url', address]] as const) {
    const program = findProgram(name, { path: env.PATH })
    if (program === undefined) continue
    const outcome = await runProcess(
      [program, ...options, 'build', ...command.arguments],
      { cwd: process.cwd(), env, killGraceMs },
      {
        signal: io.signal,
        // A character that is cut by the end of a chunk is rare here, and only spoils what a person reads.
        write: (_, chunk) => io.write(Buffer.from(chunk).toString('utf8')),
      },
    )
    if (outcome.status !== 'invalid' || outcome.exitCode !== exitCodes.notFound) return outcome.exitCode
  }
  throw new FencedError({
    code: 'BUILD_COMMAND_NOT_FOUND',
    message:
      'Building a Dockerfile requires the docker or podman command, but neither is on the PATH. Install one of them (on Debian: `apt-get install docker-cli`), or build the image elsewhere and pass its name as `image` instead of `build`.',
    data: { program: 'docker, podman', option: 'image' },
  })
}

/** Only what says where the engine is is replaced: DOCKER_CONFIG and DOCKER_BUILDKIT mean what they mean to the command. */
function environmentOf({ address, environment }: BuildCommand): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(withTrustedPath(environment))) {
    if (value !== undefined && !/^DOCKER_(CONTEXT|TLS.*|CERT_PATH)$/.test(name)) variables[name] = value
  }
  // The builder of the engine, and none that was made with `docker buildx create`: it would keep the image to itself.
  return { ...variables, DOCKER_HOST: address, BUILDX_BUILDER: 'default' }
}
