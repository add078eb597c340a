import { FencedError } from '@fenced/core'
import type { SandboxBackend } from '../backend.ts'
import { workingDirectoryInside } from '../backend.ts'
import { type OwnCommandResult, runCommand } from '../run/run-command.ts'

/** What a container turned out to have. */
export interface ContainerFacts {
  /** How the programs that were found are started, by name: an absolute path, as a rule. */
  readonly programs: ReadonlyMap<string, string>
  /** The code's user as numbers. */
  readonly userId: number
  readonly groupId: number
  /** Whether the code can write into the working directory. */
  readonly isWritable: boolean
}

export interface ProbeOptions {
  readonly user: string
  /** Names of programs to look for. */
  readonly programs: readonly string[]
  readonly signal: AbortSignal
  /** What the place knows about an output that is no answer: an error that says more, if there is one. */
  explain(output: string): FencedError | undefined
}

/** In the order of its lines: numbers of user and group, whether we can write, then a program a line. */
const script = `
while read -r name value rest; do
  case $name in Uid:|Gid:) printf '%s\\n' "$value" ;; esac
done < /proc/self/status
[ -w . ] && echo writable || echo read-only
for program; do command -v "$program" || echo; done
`

/** How long a container may take to answer, in milliseconds. */
const limitMs = 60_000

/**
 * Looks around inside a container, as the code's user.
 *
 * @throws FencedError `CONTAINER_UNUSABLE` when it does not answer, or with something else; or what the engine answers.
 */
export async function probe(backend: SandboxBackend, options: ProbeOptions): Promise<ContainerFacts> {
  const { user, programs } = options
  const end = await ask(backend, options)
  const [userId, groupId, access, ...paths] = end.output.split('\n')
  if (end.exitCode !== 0 || access === undefined) {
    throw options.explain(end.output) ?? silent(user, end.output)
  }
  const found = programs.flatMap((program, index) => {
    // BusyBox's shell answers with the bare name, because the program is part of it.
    const path = paths[index] ?? ''
    return path === '' ? [] : [[program, path] as const]
  })
  return {
    programs: new Map(found),
    userId: Number(userId),
    groupId: Number(groupId),
    isWritable: access === 'writable',
  }
}

async function ask(
  backend: SandboxBackend,
  { user, programs, signal }: ProbeOptions,
): Promise<OwnCommandResult> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    return await runCommand(backend, {
      command: ['/bin/sh', '-c', script, 'fenced-probe', ...programs],
      user,
      workingDirectory: workingDirectoryInside,
      signal: AbortSignal.any([signal, limit]),
    })
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error
    throw silent(user, `there was no answer within ${limitMs / 1_000} seconds`)
  }
}

function silent(user: string, output: string): FencedError {
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The container did not answer when it was looked at as the user ${user}: ${output.trim() || 'it said nothing'}. Check the \`image\` and \`user\` options.`,
  })
}
