/** A name and a password, or a token, in the address of a web page or repository. A user alone is none: `ssh://git@host`. */
const webLogin = /\bhttps?:\/\/[^\s/?#@]+@|:\/\/[^\s/?#:@]*:[^\s/?#@]+@/i
/** A key among the parameters of an address. */
const keyParameter = /[?&](?:access_token|api[_-]?key|auth|key|password|secret|sig|signature|token)=[^&\s]/i

/** Whether a text in plain data has a login in an address, or one of the values that are known to be secret. */
export function holdsSecret(data: unknown, known: readonly string[]): boolean {
  if (typeof data === 'string') {
    return webLogin.test(data) || keyParameter.test(data) || known.some((secret) => data.includes(secret))
  }
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(data).some(([name, value]) => holdsSecret(name, known) || holdsSecret(value, known))
}
