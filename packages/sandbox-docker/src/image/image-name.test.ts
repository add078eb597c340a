import { describe, expect, it } from 'vitest'
import { isImageId, parseImageName } from './image-name.ts'

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`

describe('parseImageName', () => {
  it('takes a name apart', ({ everyRow }) =>
    everyRow(
      [
        ['python', 'docker.io', 'python', 'latest'],
        ['python:3.12-slim', 'docker.io', 'python', '3.12-slim'],
        ['team/image', 'docker.io', 'team/image', 'latest'],
        ['ghcr.io/team/image:1', 'ghcr.io', 'ghcr.io/team/image', '1'],
        ['localhost/image', 'localhost', 'localhost/image', 'latest'],
        ['localhost:5000/image', 'localhost:5000', 'localhost:5000/image', 'latest'],
        ['127.0.0.1:5000/team/image:v1.0_RC', '127.0.0.1:5000', '127.0.0.1:5000/team/image', 'v1.0_RC'],
        ['[::1]:5000/image', '[::1]:5000', '[::1]:5000/image', 'latest'],
        [`image@${digest}`, 'docker.io', 'image', digest],
        [`ghcr.io/image:1@${digest}`, 'ghcr.io', 'ghcr.io/image', digest],
        ['0123456789ab', 'docker.io', '0123456789ab', 'latest'],
      ],
      (name, registry, repository, version) => {
        expect(parseImageName(name)).toMatchObject({ registry, repository, version })
      },
    ))

  it('refuses what is not a name', ({ everyRow }) =>
    everyRow(
      [
        '',
        'Python',
        'python:',
        ':3',
        'a//b',
        'a/../b',
        '/a',
        'a/',
        'a b',
        'a?b=c',
        'a#b',
        'a_-b',
        'https://ghcr.io/a',
        `python:${'x'.repeat(129)}`,
        'python@sha256:12',
      ],
      (name) => {
        expect(parseImageName(name)).toBeUndefined()
      },
    ))
})

it('knows an id', () => {
  expect([digest, `image@${digest}`, '0123456789ab'].map(isImageId)).toEqual([true, false, false])
})
