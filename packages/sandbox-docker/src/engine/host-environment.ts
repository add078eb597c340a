import { homedir } from 'node:os'

/** What decides, on the host, where the engine is. */
export interface HostEnvironment {
  /** Variables such as `DOCKER_HOST`. The program `ssh` gets them too. */
  readonly environment: NodeJS.ProcessEnv
  /** The home directory, in which docker keeps its configuration. */
  readonly home: string
  /** The operating system, as Node names it. */
  readonly platform: NodeJS.Platform
  /** The user's number; Windows has none. */
  readonly userId: number | undefined
}

/** Where to look, and for how long. What is left out of {@link HostEnvironment} is this process's own. */
export interface ConnectOptions extends Partial<HostEnvironment> {
  /** Ends the search early. Default: nothing does. */
  readonly signal?: AbortSignal | undefined
  /** How long each address may take to answer, in milliseconds. Default 10 000, and 30 000 through ssh. */
  readonly timeoutMs?: number | undefined
  /**
   * How long the engine may be silent before the answer to a question is complete, in milliseconds. Ten times as long for work that
   * takes its time: pulls, archives, new images, and the start and the removal of containers.
   *
   * @default 60_000
   */
  readonly answerTimeoutMs?: number | undefined
}

export function hostEnvironment(): HostEnvironment {
  return {
    environment: process.env,
    home: homedir(),
    platform: process.platform,
    userId: process.getuid?.(),
  }
}
