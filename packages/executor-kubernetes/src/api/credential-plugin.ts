import { trustedPath } from '@fenced/core/internal'
import type { User } from '@kubernetes/client-node'

/** A program of a kubeconfig that says who one is. */
interface Plugin {
  env?: readonly { readonly name: string; readonly value: string }[] | null
}

/**
 * Sets the PATH of the plugin of a user in a kubeconfig, which starts on this machine, so that it is not taken from where code can
 * write: the files of a pod are copied into the working directory.
 */
export function trustPlugin(user: User | null): void {
  // Windows spells it `Path`.
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  const plugins: (Plugin | undefined)[] = [user?.exec, user?.authProvider?.config?.exec]
  for (const plugin of plugins) {
    if (!plugin) continue
    const own = plugin.env?.find((variable) => variable.name === name)?.value
    const others = plugin.env?.filter((variable) => variable.name !== name) ?? []
    plugin.env = [...others, { name, value: trustedPath(own ?? process.env[name]) }]
  }
}
