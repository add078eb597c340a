import { execFile } from 'node:child_process'

export interface CommandOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** Ends a hang. A build of Next.js 15 took 4 minutes on a busy machine. @default 10 minutes */
  readonly timeoutMs?: number
}

/**
 * What a program prints.
 *
 * @throws Error with everything that it has printed, when it fails.
 */
export function command(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = process.env, timeoutMs = 600_000 }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: timeoutMs, maxBuffer: 2 ** 26 }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${[program, ...args].join(' ')} in ${cwd}: ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}
