import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pages that have a new address. */
export const moved: Readonly<Record<string, string>> = {
  'web-and-mcp': 'web-page',
  'javascript-starts': 'performance',
  'installed-size': 'performance',
  releases: 'contributing',
}

/** Writes a page for each old address that leads to the new one. */
export function writeRedirects(site: string): void {
  for (const [from, to] of Object.entries(moved)) {
    const html = `<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0; url=/${to}"><a href="/${to}">Moved</a>\n`
    writeFileSync(join(site, `${from}.html`), html)
  }
}
