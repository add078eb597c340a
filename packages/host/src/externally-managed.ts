import { captureOutput } from './capture-output.ts'
import { interpreterEnvironment } from './interpreter-environment.ts'

const question = `
import os, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
print(sys.prefix == sys.base_prefix and os.path.exists(marker))
`

/** Whether the packages of a Python belong to the operating system, so that pip must leave it alone (PEP 668). */
export async function isExternallyManaged(python: string): Promise<boolean> {
  const { stdout } = await captureOutput([python, '-I', '-c', question], {
    // An installed package can have Python run its code at every start (a `.pth` file).
    env: interpreterEnvironment(process.env),
    timeoutMs: 10_000,
  })
  return stdout.trim() === 'True'
}
