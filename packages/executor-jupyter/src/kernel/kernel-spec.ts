import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import {
  captureOutput,
  type Environment,
  programEnvironment,
  requireTrustedPackages,
  withTrustedPath,
} from '@fenced/host'
import { parsedAs } from '../parsed-as.ts'
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
  const list = await listKernelSpecs(python, signal)
  const specs = parsedAs(listSchema, list)?.kernelspecs
  if (specs === undefined) throw unreadable(python, list)
  if (Object.hasOwn(specs, kernelName)) {
    const { data } = specSchema.safeParse(specs[kernelName])
    if (data === undefined) throw unreadable(python, list)
    const { argv, env, interrupt_mode: mode } = data.spec
    const command = withoutDirectoryOnPath(argv)
    return { command, isOwn: false, env, interruptMode: mode === 'message' ? 'message' : 'signal' }
  }
  const known = Object.keys(specs).join(', ')
  throw new FencedError({
    code: 'KERNEL_NOT_FOUND',
    message: `Kernel "${kernelName}" not found for ${python}. Installed kernels: ${known || 'none'}. Install the kernel, or set \`kernelName\`.`,
    data: { kernel: kernelName, python, known, option: 'kernelName' },
  })
}

/** The same kernel, which does not load its modules from the working directory. */
function withoutDirectoryOnPath(command: readonly string[]): readonly string[] {
  const index = command.findIndex((word, at) => word === '-m' && command[at + 1] === 'ipykernel_launcher')
  return index === -1 ? command : command.toSpliced(index, 2, '-c', pythonSource('launch_kernel'))
}

/** Keeps model-written code out of IPython's history database in the user's home. */
const withoutHistory = ['--HistoryManager.enabled=False']

/** The answer of `jupyter kernelspec list --json`, and a kernel in it. */
const listSchema = z.object({ kernelspecs: z.record(z.string(), z.unknown()) })
const specSchema = z.object({
  spec: z.object({
    argv: z.array(z.string()),
    env: z.record(z.string(), z.string()).default({}),
    interrupt_mode: z.string().optional(),
  }),
})

async function listKernelSpecs(python: string, signal: AbortSignal): Promise<string> {
  requireTrustedPackages(python)
  const { failure, stdout, stderr } = await captureOutput(
    [python, '-m', 'jupyter_client.kernelspecapp', 'list', '--json'],
    { env: searchEnvironment(), timeoutMs: 60_000, signal },
  )
  if (failure === undefined) return stdout.trim()
  throw unreadable(python, stderr.trim() || failure)
}

function unreadable(python: string, output: string): FencedError {
  const command = `"${python}" -m pip install ipykernel`
  return new FencedError({
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
