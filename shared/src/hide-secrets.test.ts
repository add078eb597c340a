import { expect, it } from 'vitest'
import { hideSecrets, hideUsers } from './hide-secrets.ts'

it('takes values out, and user and password of the addresses in them', () => {
  const variables = {
    PIP_INDEX_URL: 'https://anna:s%40cret@index.example.com/simple',
    TOKEN: 'abcd',
    DEBUG: '1',
  }
  const text =
    'Looking in https://anna:s%40cret@index.example.com/simple, as anna with s@cret or s%40cret, abcd 1: https://index.example.com/'
  expect(hideSecrets(text, variables)).toBe(
    'Looking in [redacted], as [redacted] with [redacted] or [redacted], [redacted] 1: https://index.example.com/',
  )
})

it('takes users out of addresses', () => {
  expect(hideUsers('a @ git+https://token@host/a, b@1')).toBe('a @ git+https://[redacted]@host/a, b@1')
  expect(hideUsers('https://user:p@ss@host/a@1')).toBe('https://[redacted]@host/a@1')
})
