import { expect, it } from 'vitest'
import { isForPlatform } from './image.ts'

it.each([
  ['linux/amd64', 'amd64', '', true],
  ['linux/x86_64', 'amd64', '', true],
  ['linux/arm64', 'amd64', '', false],
  ['windows/amd64', 'amd64', '', false],
  ['linux/arm64', 'arm64', 'v8', true],
  ['linux/aarch64/v8', 'arm64', '', true],
  ['linux/arm/v6', 'arm', 'v7', false],
])('%s and an image for %s %s: %s', (platform, Architecture, Variant, expected) => {
  expect(isForPlatform({ Os: 'linux', Architecture, Variant }, platform)).toBe(expected)
})
