// What the page costs, measured in a browser: see bench/web.bench.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { buildPage } from '../../scripts/build-page.ts'
import { decision, launchBrowser, openPage, say } from '../browser.ts'
import { chromiumPath } from '../requirements.ts'
import { program, serveTest } from '../served.ts'

const rounds = 10

async function measure() {
  if (chromiumPath === undefined) return { missing: 'there is no chromium' }
  await buildPage()
  await using server = await serveTest({ script: [program('yes', { language: 'sh' }), 'End.'] })
  const browser = await launchBrowser()
  try {
    const firstPaintMs: number[] = []
    for (let round = 0; round < rounds; round++) {
      await using open = await openPage(browser, server)
      await open.page.getByText('What should the model work on?').waitFor()
      firstPaintMs.push(await open.page.evaluate(firstContentfulPaint))
    }
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Say yes.')
    await decision(page).waitFor()
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByText(/characters are left out here/).waitFor()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.focus()
    const inputMs: number[] = []
    for (let key = 0; key < 50; key++) {
      await delay(80)
      const began = performance.now()
      await page.keyboard.press('x')
      inputMs.push(performance.now() - began)
    }
    const hostGrewBy = process.memoryUsage().rss - before
    await page.getByRole('button', { name: 'Stop the program' }).click()
    await page.getByText('End.').waitFor()
    return { pageBytes: pageBytes(), firstPaintMs, inputMs, hostGrewBy }
  } finally {
    await browser.close()
  }
}

/** In the browser: from the navigation to the first picture with something in it, in milliseconds. */
const firstContentfulPaint =
  "performance.getEntriesByName('first-contentful-paint')[0].startTime" as unknown as () => number

function pageBytes(): number {
  const folder = new URL('../../page/dist/', import.meta.url).pathname
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.reduce(
    (sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length,
    0,
  )
}

process.stdout.write(JSON.stringify(await measure()))
