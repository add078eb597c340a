import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

/**
 * Settings of this process that its new processes inherit: user, groups and niceness; on Linux also capabilities, umask, limits and
 * processors. Two calls return the same text unless one of them changed in between.
 */
export function inheritedSettings(): string {
  const settings: unknown[] = [process.geteuid?.(), process.getegid?.(), getPriority()]
  if (process.platform === 'linux') {
    settings.push(readFileSync('/proc/self/status', 'latin1').match(inheritedLines))
    settings.push(readFileSync('/proc/self/limits', 'latin1'))
  }
  return JSON.stringify(settings)
}

const inheritedLines = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed):.*$/gm
