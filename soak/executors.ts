import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CodeExecutor } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { withApproval, withNetworkList, withReplay, withTools } from './uses.ts'

const execute = promisify(execFile)

/** What executors need of this machine. Plain data: programs get it as JSON. */
export interface Setup {
  /** What containers are made of. */
  readonly image: string
  /** A virtual environment that has Jupyter. */
  readonly jupyter: string | undefined
}

/** An executor in one of its settings. */
export interface Subject {
  readonly name: string
  readonly kind: 'local' | 'docker' | 'jupyter'
  /** Whether a process of a block is found that left its session and cleared its environment. */
  readonly findsEverything: boolean
  /** Why it cannot be used here, if it cannot. */
  readonly problem: (setup: Setup) => Promise<string | undefined>
  /** Makes an executor; what goes with it is put on the stack. */
  readonly make: (setup: Setup, stack: AsyncDisposableStack) => CodeExecutor | Promise<CodeExecutor>
  /** By how much the host's memory may grow under a flood, in megabytes; 128 where it is absent. */
  readonly floodLimitMB?: number
  /** The soaks that try it where a part is enough; absent for all. */
  readonly shortSoaks?: readonly string[]
}

/** The limit of a block: far from what any of them needs on a busy machine. */
const timeoutMs = 120_000

export const subjects: readonly Subject[] = [
  local('local', 'python3', () => new LocalCommandLineCodeExecutor({ timeoutMs, warm: false })),
  local('local warm', 'python3', () => new LocalCommandLineCodeExecutor({ timeoutMs, warm: {} })),
  local(
    'bubblewrap',
    'bwrap',
    () => new LocalCommandLineCodeExecutor({ timeoutMs, isolation: 'bubblewrap', warm: false }),
  ),
  local(
    'bubblewrap warm',
    'bwrap',
    () => new LocalCommandLineCodeExecutor({ timeoutMs, isolation: 'bubblewrap', warm: {} }),
  ),
  use('network list', 'bwrap', (stack) => withNetworkList(timeoutMs, stack)),
  use('host tools', 'python3', () => withTools(new LocalCommandLineCodeExecutor({ timeoutMs }))),
  use('approval', 'python3', (stack) => withApproval(new LocalCommandLineCodeExecutor({ timeoutMs }), stack)),
  {
    ...use('replay', 'python3', () => withReplay(new LocalCommandLineCodeExecutor({ timeoutMs }))),
    // Events that a replay has dropped are old: V8 lets its heap grow to 400 MB, of which 50 are in use, before it collects them.
    floodLimitMB: 640,
  },
  docker('docker', false),
  docker('docker warm', true),
  jupyter('jupyter direct', (python) => new JupyterCodeExecutor({ timeoutMs, python })),
  jupyter('jupyter server', (python, stack) => {
    const server = stack.use(new LocalJupyterServer({ python }))
    return new JupyterCodeExecutor({ timeoutMs, server })
  }),
]

export function executorNamed(name: string | undefined): Subject {
  const subject = subjects.find((subject) => subject.name === name)
  if (subject === undefined) throw new Error(`No executor ${name}.`)
  return subject
}

function local(name: string, program: string, make: Subject['make']): Subject {
  const args = program === 'bwrap' ? ['--ro-bind', '/', '/', '--unshare-all', 'true'] : ['--version']
  return {
    name,
    kind: 'local',
    findsEverything: name !== 'local',
    make,
    problem: () => problemOf(program, args),
  }
}

/** A local executor, and something that goes with each of its executions. */
function use(
  name: string,
  program: string,
  make: (stack: AsyncDisposableStack) => CodeExecutor | Promise<CodeExecutor>,
): Subject {
  return { ...local(name, program, (_, stack) => make(stack)), shortSoaks: ['blocks'] }
}

function docker(name: string, warm: boolean): Subject {
  return {
    name,
    kind: 'docker',
    findsEverything: true,
    make: ({ image }) => new DockerCommandLineCodeExecutor({ timeoutMs, image, warm }),
    problem: ({ image }) => problemOf('docker', ['image', 'inspect', '--format', '{{.Id}}', image]),
  }
}

function jupyter(name: string, make: (python: string, stack: AsyncDisposableStack) => CodeExecutor): Subject {
  return {
    name,
    kind: 'jupyter',
    findsEverything: false,
    make: ({ jupyter = '' }, stack) => make(join(jupyter, 'bin', 'python'), stack),
    problem: async ({ jupyter }) => {
      if (!jupyter) return 'FENCED_TEST_JUPYTER and --jupyter name no virtual environment that has Jupyter'
      return existsSync(join(jupyter, 'bin', 'python')) ? undefined : `${jupyter} has no bin/python`
    },
  }
}

async function problemOf(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await execute(program, args)
    return undefined
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    return code === 'ENOENT' ? `there is no program ${program}` : stderr.trim().replaceAll('\n', ' ')
  }
}
