import { captureOutput } from './capture-output.ts'
import { findPython, type PythonSearch } from './find-python.ts'
import { interpreterEnvironment } from './interpreter-environment.ts'

/** Time limit for Python, in milliseconds. */
const longestMs = 10_000

/** In isolated mode and without installed packages, so nothing that a sandboxed program has written takes part. */
const compile = `
import binascii, marshal, sys
from _frozen_importlib_external import MAGIC_NUMBER
code = compile(sys.stdin.buffer.read(), sys.argv[1], "exec")
print(binascii.b2a_base64(MAGIC_NUMBER + marshal.dumps(code)).decode())
`

/**
 * Compiles a Python program of ours: the version of the bytecode (`MAGIC_NUMBER`, 4 bytes), then the code object (`marshal`).
 * `undefined` where no Python is found, or it cannot compile the program.
 *
 * @param name - name of the program in tracebacks.
 * @throws FencedError as {@link findPython}; `NO_RESOURCES` if the system allows no more processes or files.
 */
export async function compileProgram(
  search: PythonSearch,
  { name, source }: { readonly name: string; readonly source: string },
): Promise<Uint8Array | undefined> {
  const found = await findPython(search)
  if (!('command' in found)) return undefined
  const command = [...found.command, '-I', '-S', '-c', compile, name] as const
  const env = interpreterEnvironment(search.host)
  const { failure, stdout } = await captureOutput(command, { env, input: source, timeoutMs: longestMs })
  return failure === undefined ? Buffer.from(stdout, 'base64') : undefined
}
