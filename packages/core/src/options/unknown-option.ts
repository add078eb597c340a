import { nearestName, plainName } from './nearest-name.ts'
import { upstreamOptions } from './upstream-options.ts'

/** What is said of an option that does not exist: its name here, the name that was probably meant, or all names. */
export function unknownOption(name: string, known: readonly string[]): string {
  const unknown = `Unknown option \`${name}\``
  const same = known.find((candidate) => plainName(candidate) === plainName(name))
  if (same !== undefined) return `${unknown}: it is called \`${same}\` here.`
  const { to = [], note = '', otherwise } = upstreamOptions.get(plainName(name)) ?? {}
  const renamed = to.find((candidate) => known.includes(candidate))
  if (renamed !== undefined) return `${unknown}: it is called \`${renamed}\` here${note}.`
  if (otherwise !== undefined) return `${unknown}: ${otherwise}.`
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `${unknown}: did you mean \`${nearest}\`?`
  if (known.length === 0) return `${unknown}: there are no options here.`
  return `${unknown}: the options are ${known.map((candidate) => `\`${candidate}\``).join(', ')}.`
}
