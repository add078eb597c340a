// Follows every link of the built site to its page and its heading. VitePress itself follows those in Markdown to pages only.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const site = join(import.meta.dirname, '.vitepress/dist')
const pages = new Map(
  globSync('**/*.html', { cwd: site }).map((file) => [`/${file}`, readFileSync(join(site, file), 'utf8')]),
)
const ids = new Map(
  [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
)

const dead: string[] = []
for (const [file, html] of pages) {
  for (const [, link = ''] of html.matchAll(/<a [^>]*?href="(\/[^"]*|#[^"]*)"/g)) {
    const [path = '', hash = ''] = link.split('#')
    const target = path === '' ? file : path.endsWith('/') ? `${path}index.html` : `${path}.html`
    const headings = ids.get(target)
    if (headings === undefined && existsSync(join(site, path))) continue
    if (headings === undefined || (hash !== '' && !headings.has(decodeURIComponent(hash)))) {
      dead.push(`${file}: ${link}`)
    }
  }
}
if (dead.length > 0) {
  process.stderr.write(`Links to what is not there:\n${dead.join('\n')}\n`)
  process.exitCode = 1
} else {
  process.stdout.write(`The site is in ${site}. To look at it: npx -y pnpm --dir apps/docs preview\n`)
}
