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
  /** `{connection_file}` is replaced by the path of that file. */
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
 * Finds the kernel of a name in a Python. The Python's own kernel needs no search.
 *
 * @throws FencedError `KERNEL_NOT_FOUND`, with the known names.
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
    message: `Kernel "${kernelName}" not found for ${python}. Installed kernels: ${known || 'none'}. Install the kernel, or set \`kernelName\`.`,
    data: { kernel: kernelName, python, known, option: 'kernelName' },
  })
}

/** Keeps model-written code out of IPython's history database in the user's home. */
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
    message: `Could not list the kernels of ${python}:\n${output}\nIf jupyter_client is missing, run: ${command}`,
    data: { python, output, command },
  })
}

/** Where kernels are looked for (`jupyter --paths`). */
const searchVariables =
  /^(JUPYTER_(PATH|DATA_DIR|CONFIG_DIR|CONFIG_PATH|PREFER_ENV_PATH|NO_CONFIG)|XDG_DATA_HOME)$/

/** Without the secrets of this process: packages of the Python can run code at every start. */
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
