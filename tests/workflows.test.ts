import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
)

it('pins each action of the workflows by a commit and names its version', () => {
  const actions = workflows.flatMap((text) =>
    [...text.matchAll(/\buses: (.+)/g)].map(([, action = '']) => action),
  )
  expect(actions.length).toBeGreaterThan(5)
  expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

it('releases only a commit for which CI ended with success', () => {
  const release = workflows.find((text) => text.includes('name: Release'))
  expect(release).toContain("github.event.workflow_run.conclusion == 'success'")
  expect(release).toMatch(/ref: \S+ github\.event\.workflow_run\.head_sha /)
  expect(release).not.toMatch(/^ {2}push:/m)
})
