import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

// They may have other names in any release of the AI SDK.
it('what is experimental in the AI SDK is named in one file of a package', () => {
  const files = globSync('{packages/*,apps/*,shared}/src/**/*.ts', { cwd: root }).filter((path) => {
    const source = readFileSync(join(root, path), 'utf8').replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
    return /experimental_|HarnessV1/i.test(source)
  })
  expect(files.sort()).toEqual([
    join('packages', 'agents', 'src', 'tool', 'agent-tool.ts'),
    join('packages', 'ai-sdk', 'src', 'ai-sdk.ts'),
  ])
})
