import { FencedError } from '@fenced/core'
import {
  captureOutput,
  type Environment,
  programEnvironment,
  requireTrustedPackages,
  withTrustedPath,
} from '@fenced/host'
import { pythonSource } from '../python-source.ts'

/** How a kernel is started. */
export interface KernelSpec {
  /** `{connection_file}` in it stands for the path of that file. */
  readonly command: readonly string[]
  /** Whether that is `own_kernel.py`, with its arguments. */
  readonly isOwn: boolean
  readonly env: Readonly<Record<string, string>>
  /** Whether it is interrupted by SIGINT or by a message. */
  readonly interruptMode: 'signal' | 'message'
}

/** The name under which every Python with ipykernel has its own kernel. */
const ownKernelName = 'python3'

/**
 * The kernel of a name, as a Python knows it. Its own kernel needs no search.
 *
 * @throws FencedError `KERNEL_NOT_FOUND`, with the names that there are.
 */
export async function findKernelSpec(
  python: string,
  kernelName: string,
  signal: AbortSignal,
): Promise<KernelSpec> {
  if (kernelName === ownKernelName) {
    return {
      command: [python, '-c', pythonSource('own_kernel'), '-f', '{connection_file}', ...withoutHistory],
      isOwn: true,
      env: {},
      interruptMode: process.platform === 'win32' ? 'message' : 'signal',
    }
  }
  const specs = await listKernelSpecs(python, signal)
  const found = specs[kernelName]
  if (found !== undefined) return kernelSpec(found)
  const known = Object.keys(specs).join(', ')
  throw new FencedError({
    code: 'KERNEL_NOT_FOUND',
    message: `There is no kernel "${kernelName}" for ${python}. It knows ${known || 'none'}. Install one, or give another \`kernelName\`.`,
    data: { kernel: kernelName, python, known, option: 'kernelName' },
  })
}

/** IPython keeps a database of all that was ever typed in the user's home; a program of a model is not typed. */
const withoutHistory = ['--HistoryManager.enabled=False']

interface ListedSpec {
  readonly spec: {
    readonly argv: readonly string[]
    readonly env?: Readonly<Record<string, string>>
    readonly interrupt_mode?: string
  }
}

async function listKernelSpecs(
  python: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, ListedSpec>>> {
  requireTrustedPackages(python)
  const { failure, stdout, stderr } = await captureOutput(
    [python, '-m', 'jupyter_client.kernelspecapp', 'list', '--json'],
    { env: searchEnvironment(), timeoutMs: 60_000, signal },
  )
  if (failure === undefined) return JSON.parse(stdout).kernelspecs
  const output = stderr.trim() || failure
  const command = `"${python}" -m pip install ipykernel`
  throw new FencedError({
    code: 'KERNEL_NOT_FOUND',
    message: `${python} could not be asked which kernels it has:\n${output}\nIf jupyter_client is missing: ${command}`,
    data: { python, output, command },
  })
}

/** Where kernels are looked for (`jupyter --paths`). */
const searchVariables =
  /^(JUPYTER_(PATH|DATA_DIR|CONFIG_DIR|CONFIG_PATH|PREFER_ENV_PATH|NO_CONFIG)|XDG_DATA_HOME)$/

/** The Python may have packages whose code runs at every start, so it does not get the secrets of this process. */
function searchEnvironment(): Environment {
  const ofSearch = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && searchVariables.test(entry[0]),
  )
  return withTrustedPath(
    programEnvironment(process.env, { env: Object.fromEntries(ofSearch), inheritEnv: false }),
  )
}

function kernelSpec({ spec }: ListedSpec): KernelSpec {
  return {
    command: spec.argv,
    isOwn: false,
    env: spec.env ?? {},
    interruptMode: spec.interrupt_mode === 'message' ? 'message' : 'signal',
  }
}
