import { homedir } from 'node:os'

/** What decides, on the host, where the engine is. */
export interface Surroundings {
  /** Variables such as `DOCKER_HOST`. The program `ssh` gets them too. */
  readonly environment: NodeJS.ProcessEnv
  /** The home directory, in which docker keeps its configuration. */
  readonly home: string
  /** The operating system, as Node names it. */
  readonly platform: NodeJS.Platform
  /** The user's number; Windows has none. */
  readonly userId: number | undefined
}

export function hostSurroundings(): Surroundings {
  return {
    environment: process.env,
    home: homedir(),
    platform: process.platform,
    userId: process.getuid?.(),
  }
}
