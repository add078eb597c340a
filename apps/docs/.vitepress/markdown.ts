import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const head = '# Fenced\n\n> Runs the code that a model writes.\n'

/** Puts each page as Markdown beside its HTML, with `llms.txt`, which lists them, and `llms-full.txt`, which has the guides and READMEs. */
export async function writeMarkdown(pages: readonly string[], from: string, to: string): Promise<void> {
  const listed: string[] = []
  const texts: string[] = []
  for (const page of pages) {
    await cp(join(from, page), join(to, page))
    const text = await readFile(join(from, page), 'utf8')
    const [, title] = /^# (.+)$/m.exec(text) ?? []
    if (title === undefined) continue
    const isReference = page.startsWith('reference/')
    const about = isReference ? 'the types and meaning of all that it exports' : firstParagraph(text)
    listed.push(`- [${title.replaceAll('`', '')}](/${page}): ${about}`)
    if (!isReference) texts.push(text)
  }
  await writeFile(join(to, 'llms.txt'), `${head}\n${listed.join('\n')}\n`)
  await writeFile(join(to, 'llms-full.txt'), [head, ...texts].join('\n'))
}

function firstParagraph(text: string): string {
  const prose = text.replace(/^(```+|~~~+)[\s\S]*?^\1/gm, '')
  const paragraph = prose.split(/\n{2,}/).find((part) => /^[^#>|<\s-]/.test(part)) ?? ''
  return paragraph.replaceAll('\n', ' ')
}
