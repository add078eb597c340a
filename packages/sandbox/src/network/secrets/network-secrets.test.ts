import { expect, it } from 'vitest'
import { networkAllowlistSchema } from '../network-options.ts'
import { NetworkSecrets } from './network-secrets.ts'

const value = 'value-of-the-token'

function secretsOf(hosts: readonly string[]) {
  const secret = { value, hosts, headers: ['X-Token', 'Authorization'] }
  const secrets = NetworkSecrets.of(
    networkAllowlistSchema.parse({ allowedHosts: ['a.test'], secrets: { TOKEN: secret } }),
  )
  if (secrets === undefined) expect.fail('there are secrets')
  return { secrets, placeholder: secrets.variables.TOKEN ?? '' }
}

it('a secret is for one scheme, name and port', ({ everyRow }) =>
  everyRow<[host: string, scheme: 'http' | 'https', port: number]>(
    [
      ['a.test', 'https', 443],
      ['https://a.test', 'https', 443],
      ['a.test:8443', 'https', 8443],
      ['http://a.test', 'http', 80],
      ['http://a.test:8080', 'http', 8080],
    ],
    (host, scheme, port) => {
      const { secrets } = secretsOf([host])
      const places = [
        ...[80, 443, 8080, 8443].flatMap((each) => [
          { scheme: 'http', kind: 'name', host: 'a.test', port: each } as const,
          { scheme: 'https', kind: 'name', host: 'a.test', port: each } as const,
        ]),
        { scheme, kind: 'name', host: 'b.test', port } as const,
        { scheme, kind: 'address', host: 'a.test', port } as const,
      ]
      const found = places.filter((place) => secrets.for(place.scheme, place) !== undefined)
      expect(found).toEqual([{ scheme, kind: 'name', host: 'a.test', port }])
    },
  ))

it('the placeholder is replaced in the headers of the secret, also in a password, and nowhere else', () => {
  const { secrets, placeholder } = secretsOf(['a.test'])
  const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`
  const fill = (name: string, text: string) =>
    secrets.for('https', { kind: 'name', host: 'a.test', port: 443 })?.fill([name, text]).slice(2)
  expect(fill('X-Token', `Bearer ${placeholder}`)).toEqual(['X-Token', `Bearer ${value}`])
  expect(fill('authorization', basic(`me:${placeholder}`))).toEqual(['authorization', basic(`me:${value}`)])
  expect(fill('authorization', basic('me:other'))).toEqual(['authorization', basic('me:other')])
  expect(fill('X-Other', placeholder)).toEqual(['X-Other', placeholder])
})
