import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'

test('packages are separated by commas, except for those that belong to pip', () => {
  const names = 'numpy>=1,<2, httpx[http2,socks],pandas'
  expect(readArguments(['--executor', 'docker', '--packages', names])?.choice).toMatchObject({
    packages: ['numpy>=1,<2', 'httpx[http2,socks]', 'pandas'],
  })
})
