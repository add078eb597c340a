import { afterEach, expect, test, vi } from 'vitest'
import { packageIndexOf } from '../src/install/package-index.ts'

afterEach(() => vi.unstubAllEnvs())

test('names the sources of the installer, without logins', ({ everyRow }) =>
  everyRow<[Parameters<typeof packageIndexOf>[0], Record<string, string>, string | undefined]>(
    [
      ['pip', {}, undefined],
      ['pip', { UV_INDEX_URL: 'https://uv.test' }, undefined],
      ['pip', { PIP_INDEX_URL: 'https://me:secret@a.test/simple' }, 'https://a.test/simple'],
      [
        'pip',
        {
          PIP_INDEX_URL: 'https://a.test/simple',
          PIP_EXTRA_INDEX_URL: 'https://b.test/x?token=1 https://c.test/',
        },
        'https://a.test/simple, https://b.test/x, https://c.test/',
      ],
      ['pip', { PIP_FIND_LINKS: '/srv/wheels' }, '/srv/wheels'],
      ['uv', { UV_DEFAULT_INDEX: 'own=https://me:secret@a.test/simple' }, 'https://a.test/simple'],
      ['uv', { UV_INDEX_URL: 'me:secret@a.test' }, 'another source'],
    ],
    (installer, env, index) => {
      for (const name of [
        'PIP_INDEX_URL',
        'PIP_EXTRA_INDEX_URL',
        'PIP_FIND_LINKS',
        'UV_INDEX',
        'UV_INDEX_URL',
      ])
        vi.stubEnv(name, undefined)
      for (const name of ['UV_DEFAULT_INDEX', 'UV_EXTRA_INDEX_URL', 'UV_FIND_LINKS'])
        vi.stubEnv(name, undefined)
      expect(packageIndexOf(installer, env)).toBe(index)
    },
  ))
