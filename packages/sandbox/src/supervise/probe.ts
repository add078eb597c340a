import { FencedError } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import { reasonIn } from '@fenced/errors'
import type { ExecTarget } from '../exec/exec-target.ts'
import { type OwnCommandResult, runCommand } from '../exec/run-command.ts'

/** Facts that were found about a sandbox. */
export interface SandboxFacts {
  /** Commands for the programs that were found, keyed by name. Usually absolute paths. */
  readonly programs: ReadonlyMap<string, string>
  /** Numeric ID of the code's user. */
  readonly userId: number
  readonly groupId: number
  /** Whether the code can write to the working directory. */
  readonly isWritable: boolean
}

/** Options for {@link probe}. */
export interface ProbeOptions {
  /** Names of programs to look for. */
  readonly programs: readonly string[]
  /** Cancels the probe. */
  readonly signal: AbortSignal
  /** Returns a more specific error for unexpected output, if the sandbox has one. */
  explain?(output: string): FencedError | undefined
}

const search = 'for program; do command -v "$program" || echo; done'

/** In the order of its lines: numbers of user and group, whether we can write, then a program a line. */
const script = `
while read -r name value rest; do
  case $name in Uid:|Gid:) printf '%s\\n' "$value" ;; esac
done < /proc/self/status
[ -w . ] && echo writable || echo read-only
${search}
`

/** How long a sandbox may take to answer, in milliseconds. */
const limitMs = 60_000

/**
 * Inspects a sandbox from the inside, as the user of its processes.
 *
 * @throws FencedError `CONTAINER_UNUSABLE` if it does not answer, or answers with something unexpected; errors from the backend.
 */
export async function probe(target: ExecTarget, options: ProbeOptions): Promise<SandboxFacts> {
  const names = { programs: true, signal: true, explain: true } as const
  const { programs } = knownOptions(options, names, 'probe()')
  const end = await ask(target, options)
  const [userId, groupId, access, ...paths] = end.output.split('\n')
  if (end.exitCode !== 0 || access === undefined) {
    const output = end.output.trim()
    throw options.explain?.(end.output) ?? silent(target, output || 'it said nothing', { output })
  }
  return {
    programs: found(programs, paths),
    userId: Number(userId),
    groupId: Number(groupId),
    isWritable: access === 'writable',
  }
}

/**
 * How programs are started that a sandbox has, by their names.
 *
 * @throws FencedError as {@link probe}.
 */
export async function findPrograms(
  target: ExecTarget,
  { programs, signal }: Pick<ProbeOptions, 'programs' | 'signal'>,
): Promise<ReadonlyMap<string, string>> {
  const { output } = await runCommand(target, {
    command: ['/bin/sh', '-c', search, 'fenced-which', ...programs],
    signal,
  })
  return found(programs, output.split('\n'))
}

/** @param paths - one line per program; empty for a missing program. BusyBox's shell prints only the name of a built-in program. */
function found(programs: readonly string[], paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    programs.flatMap((program, index) => {
      const path = paths[index] ?? ''
      return path === '' ? [] : [[program, path] as const]
    }),
  )
}

async function ask(target: ExecTarget, { programs, signal }: ProbeOptions): Promise<OwnCommandResult> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    return await runCommand(target, {
      command: ['/bin/sh', '-c', script, 'fenced-probe', ...programs],
      signal: AbortSignal.any([signal, limit]),
    })
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error
    throw silent(target, `there was no answer within ${limitMs / 1_000} seconds`, { limitMs: `${limitMs}` })
  }
}

function silent({ user }: ExecTarget, why: string, data: Readonly<Record<string, string>>): FencedError {
  const asUser = user === undefined ? '' : ` as the user ${user}`
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The sandbox could not be inspected${asUser}: ${reasonIn(why)}. Check its configuration, such as the \`image\` and \`user\` options.`,
    data: { ...(user === undefined ? {} : { user }), ...data },
  })
}
