import querystring from 'node:querystring'

/** Shorter ones are no secrets, and would cut ordinary words to pieces. */
const shortest = 4

/** Takes the values of variables out of a text, and the user and password of an address where only they are shown. */
export function hideSecrets(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.values(variables)
    .flatMap((value) => [value, ...userAndPassword(value)])
    .filter((secret) => secret.length >= shortest)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text)
}

/** Secrets as a variable spells them in addresses, and decoded. */
function userAndPassword(value: string): string[] {
  return value
    .split(/\s+/)
    .flatMap((word) => {
      const address = URL.parse(word)
      return address === null ? [] : [address.username, address.password]
    })
    .flatMap((secret) => [secret, querystring.unescape(secret)])
}

/** Takes user and password out of addresses in a text, such as the requirement `name @ https://user:password@host/file`. */
export function hideUsers(text: string): string {
  return text.replace(/(?<=:\/\/)[^/\s]+(?=@)/g, '[redacted]')
}
