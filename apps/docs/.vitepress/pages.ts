import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

const repository = join(import.meta.dirname, '../../..')
const source = 'https://github.com/fenced/fenced'

/** Files and directories of the repository that are pages, and where they are on the site. */
const rules: readonly [file: RegExp, page: string][] = [
  [/^docs\/(.+)\.md$/, '$1'],
  [/^(packages|examples)\/([^/]+)(?:\/README\.md)?\/?$/, '$1/$2'],
  [/^CONTRIBUTING\.md$/, 'contributing'],
  // What `reference.ts` has made of the sources.
  [/^apps\/docs\/\.vitepress\/reference\/@fenced\/(.+)\.md$/, 'reference/$1'],
]

/**
 * Writes all pages into one directory, with links of the site instead of links of the repository.
 *
 * @throws Error when a link leads to nothing.
 */
export function gatherPages(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  const files = globSync(['docs/*.md', '{packages,examples}/*/README.md', 'CONTRIBUTING.md'], {
    cwd: repository,
  })
  for (const file of [...files, ...referenceFiles()]) {
    const path = join(directory, `${pageOf(file)}.md`)
    mkdirSync(dirname(path), { recursive: true })
    const text = withInstallation(readFileSync(join(repository, file), 'utf8'))
    writeFileSync(path, withSiteLinks(text, file))
  }
  for (const picture of globSync('docs/**/*.{png,svg}', { cwd: repository })) {
    cpSync(join(repository, picture), join(directory, 'public', relative('docs', picture)))
  }
  cpSync(join(repository, 'packages/web/page/public/icon.svg'), join(directory, 'public/icon.svg'))
}

/** The imports that have a page of their exports: `core`, `core/driver`. */
export function referenceNames(): string[] {
  return referenceFiles()
    .map((file) => pageOf(file)?.replace('reference/', '') ?? '')
    .toSorted()
}

function referenceFiles(): string[] {
  return globSync('apps/docs/.vitepress/reference/@fenced/**/*.md', { cwd: repository })
}

function pageOf(file: string): string | undefined {
  const rule = rules.find(([pattern]) => pattern.test(file))
  return rule && file.replace(...rule)
}

/** Until the first release, a page that installs packages from npm says where they come from. */
function withInstallation(text: string): string {
  if (!/^(npm install|npx) .*@fenced\//m.test(text) || text.includes('not on npm yet')) return text
  const note = '> The packages are not on npm yet: [build them from a clone](/start#packages-from-a-clone).'
  return text.replace(/^# .+$/m, (title) => `${title}\n\n${note}`)
}

/** Links in fenced code stay unchanged. */
function withSiteLinks(text: string, file: string): string {
  return text.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2|\]\(([^()\s]+)\)/gm, (all, _indent, _fence, link) =>
    link === undefined ? all : `](${siteLink(link, file)})`,
  )
}

function siteLink(link: string, file: string): string {
  if (/^([a-z]+:|#|\/)/.test(link)) return link
  const [path = '', hash] = link.split('#')
  const target = join(repository, dirname(file), path)
  if (!existsSync(target)) throw new Error(`${file} links to ${path}, and nothing is there.`)
  const inRepository = relative(repository, target)
  const anchor = hash === undefined ? '' : `#${hash}`
  const page = pageOf(inRepository)
  if (page !== undefined) return `/${page}${anchor}`
  if (/^docs\/.*\.(png|svg)$/.test(inRepository)) return `/${relative('docs', inRepository)}`
  return `${source}/${statSync(target).isDirectory() ? 'tree' : 'blob'}/main/${inRepository}${anchor}`
}
