import { join } from 'node:path'
import { defineConfig, type MarkdownEnv, type MarkdownRenderer } from 'vitepress'
import { writeMarkdown } from './markdown.ts'
import { gatherPages } from './pages.ts'
import { writeRedirects } from './redirects.ts'
import { sidebar } from './sidebar.ts'

const pages = join(import.meta.dirname, 'pages')
gatherPages(pages)

export default defineConfig({
  title: 'Fenced',
  description: 'Runs the code that a model writes.',
  lang: 'en',
  cleanUrls: true,
  srcDir: pages,
  markdown: { anchor: { slugify: githubSlug } },
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Guides', link: '/start' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
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

/** The reference is found by the names of exports only: guides and READMEs would be lost among its words. */
function searched(source: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  if (!env.relativePath.startsWith('reference/')) return markdown.render(source, env)
  const names = source.match(/^#{1,3} .+$/gm) ?? []
  return markdown.render(names.join('\n\n'), env)
}
