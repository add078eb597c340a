import { homedir } from 'node:os'

/** Host settings that determine where the engine is. */
export interface HostEnvironment {
  /** Environment variables such as `DOCKER_HOST`. They are also passed to the `ssh` program. */
  readonly environment: NodeJS.ProcessEnv
  /** Home directory in which Docker keeps its configuration. */
  readonly home: string
  /** Operating system, as Node names it. */
  readonly platform: NodeJS.Platform
  /** Numeric user ID. `undefined` on Windows. */
  readonly userId: number | undefined
}

/** Where to look for an engine and for how long. Fields of {@link HostEnvironment} default to this process's own values. */
export interface ConnectOptions extends Partial<HostEnvironment> {
  /** Cancels the search. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** Time limit for each address to answer, in milliseconds. Default: 10 000, or 30 000 over SSH. */
  readonly timeoutMs?: number | undefined
  /**
   * Time that the engine can stay silent before its response is complete, in milliseconds. The limit is ten times as long for
   * slow operations: pulling, archives, new images, and starting and removing containers.
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
