import { captureOutput } from './capture-output.ts'
import { interpreterEnvironment } from './interpreter-environment.ts'

const question = `
import os, sys, sysconfig
is_venv = os.path.exists(os.path.join(os.path.dirname(os.path.dirname(sys.executable)), "pyvenv.cfg"))
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
print(not is_venv and os.path.exists(marker))
`

/** Whether a Python's packages are managed by the operating system, so that pip must not change them (PEP 668). */
export async function isExternallyManaged(python: string): Promise<boolean> {
  const { stdout } = await captureOutput([python, '-I', '-S', '-c', question], {
    // Without its packages: one can run code at every start, also from the working directory (`pip install -e`).
    env: interpreterEnvironment(process.env),
    timeoutMs: 10_000,
  })
  return stdout.trim() === 'True'
}
