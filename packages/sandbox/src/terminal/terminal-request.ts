import type { Sandbox, SandboxProcess, SpawnOptions, TerminalSize } from '@fenced/core/sandbox'

type Command = readonly [string, ...string[]]

/** The sandbox of a terminal. */
export interface TerminalPlace extends Pick<Sandbox, 'which'> {
  /** Starts a process without a terminal. */
  spawn(command: Command, options: SpawnOptions): Promise<SandboxProcess>
}

/** Options of `spawn` with a terminal. */
export interface TerminalOptions extends SpawnOptions {
  readonly terminal: TerminalSize
}

/** A command and the terminal in which it runs. */
export interface TerminalRequest extends Pick<TerminalPlace, 'spawn'> {
  readonly command: Command
  readonly options: TerminalOptions
  /** Aborted when the caller gives up before the command has started. */
  readonly starting: AbortSignal
}

/** A process in a terminal; or why the program that makes the terminal does not work. */
export type StartedTerminal = SandboxProcess | { readonly unusable: string }

/** The options of the process that makes the terminal. */
export function innerOptions({ options, starting }: TerminalRequest): SpawnOptions {
  const { terminal: _, signal: __, env, ...others } = options
  return { ...others, stdin: 'open', env: { TERM: 'xterm-256color', ...env }, signal: starting }
}
