import type { Environment } from '@fenced/host'

/** By these the dynamic linker and the C library load code of the directories that they name; an empty name is the current one. */
const loadsCode = /^(LD_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH)$/

/**
 * Moves variables by which code is loaded from what starts a sandbox to the command in it: bubblewrap would load libraries of
 * the working directory, in which programs write, outside of the sandbox.
 */
export function moveIntoCommand(
  command: readonly [string, ...string[]],
  env: Environment,
): { readonly command: readonly [string, ...string[]]; readonly env: Environment } {
  const entries = Object.entries(env)
  const inside = entries.filter(([name]) => loadsCode.test(name))
  if (inside.length === 0) return { command, env }
  return {
    command: ['/usr/bin/env', ...inside.map(([name, value]) => `${name}=${value}`), ...command],
    env: Object.fromEntries(entries.filter(([name]) => !loadsCode.test(name))),
  }
}
