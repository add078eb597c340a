import type { Environment } from '@fenced/host'
import { installEnvironment } from './installer-variables.ts'

/** Variables that name the sources of packages. */
const variables = {
  pip: ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_FIND_LINKS'],
  uv: ['UV_DEFAULT_INDEX', 'UV_INDEX_URL', 'UV_INDEX', 'UV_EXTRA_INDEX_URL', 'UV_FIND_LINKS'],
} as const

/**
 * The sources from which an installer gets packages, as its variables name them and without logins; `undefined` where the variables name
 * none, so that the installer's own configuration decides.
 */
export function packageIndexOf(
  installer: keyof typeof variables,
  installEnv: Environment,
): string | undefined {
  const env = installEnvironment(installEnv)
  const sources = variables[installer].flatMap((name) => (env[name] ?? '').split(/[\s,]+/))
  const shown = sources.filter((source) => source !== '').map(withoutLogin)
  return shown.length === 0 ? undefined : shown.join(', ')
}

function withoutLogin(source: string): string {
  // uv can name an index: `internal=https://…`.
  const address = source.replace(/^[\w.-]+=/, '')
  if (/^(\/|\.{1,2}\/)/.test(address)) return address
  if (!/^(https?|file):/.test(address) || !URL.canParse(address)) return 'another source'
  return Object.assign(new URL(address), { username: '', password: '', search: '', hash: '' }).href
}
