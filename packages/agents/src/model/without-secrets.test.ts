import { describe, expect, it } from 'vitest'
import { withoutSecrets } from './model-errors.ts'

describe('a message of a provider', () => {
  it('a text of a provider is cleaned of keys and tokens', ({ everyRow }) =>
    everyRow(
      [
        ['Incorrect API key provided: my-own-key-1.', 'Incorrect API key provided: [redacted]'],
        ['{"api_key": "abc123"}', '{"api_key": "[redacted]"}'],
        ['Authorization: Bearer abcdefgh.ijk was refused', 'Authorization: Bearer [redacted] was refused'],
        [
          'GET https://example.org/v1?key=abc&alt=sse failed',
          'GET https://example.org/v1?key=[redacted]&alt=sse failed',
        ],
        ['the key sk-abcdefghijklmnop1234 is unknown', 'the key [redacted] is unknown'],
        ['the header of the-team-token is wrong', 'the header of [redacted] is wrong'],
        ['Invalid API key', 'Invalid API key'],
        ['the basic idea is a bearer of news', 'the basic idea is a bearer of news'],
      ],
      (text, cleaned) => {
        expect(withoutSecrets(text, ['the-team-token', 'short'])).toBe(cleaned)
      },
    ))
})
