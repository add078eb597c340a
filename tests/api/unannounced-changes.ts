import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The packages whose API report is not that of their last release, and that no changeset names.
 *
 * @param root - of the repository.
 */
export function unannouncedChanges(root: string): string[] {
  const changesets = globSync('.changeset/*.md', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  return readdirSync(join(root, 'packages')).filter((name) => {
    const report = readFileSync(join(root, 'packages', name, 'api.md'), 'utf8')
    const isNamed = changesets.some((text) => new RegExp(`^['"]?@fenced/${name}['"]?:`, 'm').test(text))
    return !isNamed && report !== releasedReport(root, name)
  })
}

/** A release is the last change of a package's changelog. */
function releasedReport(root: string, name: string): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const release = git('log', '-1', '--format=%H', '--', `packages/${name}/CHANGELOG.md`).trim()
  return release === '' ? undefined : git('show', `${release}:packages/${name}/api.md`)
}
