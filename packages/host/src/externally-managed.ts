import { captureOutput } from './capture-output.ts'

const question = `
import os, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
print(sys.prefix == sys.base_prefix and os.path.exists(marker))
`

/** Whether the packages of a Python belong to the operating system, so that pip must leave it alone (PEP 668). */
export async function isExternallyManaged(python: string): Promise<boolean> {
  const { stdout } = await captureOutput([python, '-I', '-c', question], {
    env: process.env,
    timeoutMs: 10_000,
  })
  return stdout.trim() === 'True'
}
