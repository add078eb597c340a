import { exitCodes } from '@fenced/core'
import { checkVariables, invalidArgument } from '../session/sandbox-error.ts'

export interface ShellCommand {
  readonly command: string
  readonly workingDirectory?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/**
 * The program that runs a command. Variables are set in its text, which is in a file: the arguments of a process can
 * be read by everybody on its machine.
 */
export function commandScript({ command, workingDirectory, env = {} }: ShellCommand): string {
  checkVariables(env)
  return [
    ownFirstLine,
    ...(workingDirectory === undefined
      ? []
      : [`cd ${shellPath(workingDirectory)} || exit ${exitCodes.notExecutable}`]),
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`),
    command,
  ].join('\n')
}

/** A path as a word of the shell: no option, and what `CDPATH` says does not matter. */
export function shellPath(path: string): string {
  return quote(path.startsWith('/') ? path : `./${path}`)
}

export function quote(text: string): string {
  if (text.includes('\0')) throw invalidArgument('A path or a variable for the sandbox has a NUL in it.')
  // The engine makes a line quiet that begins with `pip install`, and a line of this text may. It also turns `\r` into `\n`.
  return `'${text.replaceAll("'", `'\\''`).replaceAll('pip', "pi''p").replaceAll('\r', `'"$(printf '\\r')"'`)}'`
}

/** A first line of the command's own could name a file (`# filename: …`), and then it would stay. */
const ownFirstLine = '# a command in a sandbox session'
