import { join } from 'node:path'
import { defineConfig, type MarkdownEnv, type MarkdownRenderer } from 'vitepress'
import { writeMarkdown } from './markdown.ts'
import { gatherPages } from './pages.ts'
import { writeRedirects } from './redirects.ts'
import { sidebar } from './sidebar.ts'

const pages = join(import.meta.dirname, 'pages')
gatherPages(pages)

type MarkdownState = Parameters<MarkdownRenderer['core']['process']>[0]

export default defineConfig({
  title: 'Fenced',
  description: 'Runs the code that a model writes.',
  lang: 'en',
  cleanUrls: true,
  srcDir: pages,
  markdown: {
    anchor: { slugify: githubSlug },
    config: (markdown) => void markdown.core.ruler.push('columns', nameColumns),
  },
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Guides', link: '/start' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Reference', link: '/errors' },
      { text: 'Packages', link: '/packages/core' },
      { text: 'API', link: '/reference/core' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local', options: { _render: searched } },
    socialLinks: [{ icon: 'github', link: 'https://github.com/fenced/fenced' }],
  },
  vite: { build: { target: 'es2022' } },
  buildEnd: async (site) => {
    await writeMarkdown(site.pages, pages, site.outDir)
    writeRedirects(site.outDir)
  },
})

/** As GitHub makes them, so that one link serves both. */
function githubSlug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Gives each cell the name of its column, which a phone shows. */
function nameColumns({ tokens }: MarkdownState): void {
  let columns: string[] = []
  let column = 0
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'thead_open') columns = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') columns.push(plainText(tokens[index + 1]))
    if (token.type === 'td_open') token.attrSet('data-column', columns[column++] ?? '')
  }
}

function plainText(token: MarkdownState['tokens'][number] | undefined): string {
  return token?.children?.map(({ content }) => content).join('') ?? ''
}

/** The reference is found by the names of exports only: guides and READMEs would be lost among its words. */
function searched(source: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  if (!env.relativePath.startsWith('reference/')) return markdown.render(source, env)
  const names = source.match(/^#{1,3} .+$/gm) ?? []
  return markdown.render(names.join('\n\n'), env)
}
