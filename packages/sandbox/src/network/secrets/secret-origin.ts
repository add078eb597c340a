import { hostOf } from '@fenced/core/internal'

/** A host of a secret, as `https://name:port`. */
export function originOf(text: string): string {
  const [, scheme = 'https', name = '', port] = /^(?:(https?):\/\/)?([^:/]+)(?::(\d+))?$/.exec(text) ?? []
  return `${scheme}://${hostOf(name)?.host ?? ''}:${port ?? (scheme === 'https' ? 443 : 80)}`
}
