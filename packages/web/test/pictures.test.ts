// @module-tag nightly

import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { answerable, heightOf, launchBrowser, openPage, press, say, scroll } from './browser.ts'
import { bubblewrap, chromium, python } from './requirements.ts'
import { local, program, sandboxed, serveTest } from './served.ts'

/** Where the pictures of the documentation are; another folder where they are not to be replaced. */
const folder = process.env.FENCED_PICTURES
  ? fileURLToPath(new URL('../../../docs/web/', import.meta.url))
  : fileURLToPath(new URL('../node_modules/.pictures/', import.meta.url))

/** What the documentation shows of them. */
const shown = new Set(['first-visit', 'decision', 'run', 'run-dark', 'phone'])

const task = 'Draw the first hundred steps of a random walk, and say how far it gets.'

const walk = `import random, struct, zlib

random.seed(7)
way = [0]
for _ in range(100):
    way.append(way[-1] + random.choice((-1, 1)))
print(f"It ends {abs(way[-1])} steps from where it began.")

width, height, middle = 606, 240, 120
rows = [bytearray(width) for _ in range(height)]
for step, position in enumerate(way):
    top = middle - position * 7
    for row in range(min(top, middle), max(top, middle) + 1):
        rows[row][6 * step : 6 * step + 4] = b"\\1" * 4

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

with open("walk.png", "wb") as file:
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\\0" + row for row in rows)
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header))
    file.write(chunk(b"PLTE", b"\\xff\\xff\\xff\\x1f\\x6b\\x57"))
    file.write(chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
`

const script = [
  program(walk, {
    prose: 'I walk with a fixed seed, so that you get the same, and draw a **column for each step**.',
  }),
  'The walk ends a few steps from its beginning; `walk.png` shows all of it.',
]

const executors = [sandboxed, local]
const isMissing = chromium.missing || python.missing || bubblewrap.missing

describe.skipIf(isMissing)('the pictures of the documentation', () => {
  let browser: Browser
  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  const save = async (page: Page, name: string) => {
    const picture = await page.screenshot(shown.has(name) ? { path: `${folder}${name}.png` } : {})
    // A page that shows nothing compresses to a few kilobytes.
    expect(picture.length).toBeGreaterThan(15_000)
  }

  it.each(['light', 'dark'] as const)('of a first visit, a decision and a run, %s', async (colorScheme) => {
    const suffix = colorScheme === 'light' ? '' : '-dark'
    await using server = await serveTest({
      executors,
      script,
      examples: [
        task,
        'Which day of the week is the most common 13th of a month?',
        'Sort the words of a file by their length.',
      ],
    })
    await using open = await openPage(browser, server, {
      colorScheme,
      viewport: { width: 1180, height: 860 },
    })
    const { page } = open
    await page.getByText('Sort the words').waitFor()
    await save(page, `first-visit${suffix}`)
    await say(page, task)
    await answerable(page)
    await save(page, `question${suffix}`)
    await press(page, 'e')
    const editor = page.getByRole('textbox', { name: /Program 1/ })
    await editor.waitFor()
    await editor.fill(walk.replace('random.seed(7)', 'random.seed(42)'))
    await page.keyboard.press('Control+Home')
    await page.getByRole('region', { name: 'Changes' }).waitFor()
    await page.getByRole('button', { name: 'Run edited code' }).scrollIntoViewIfNeeded()
    await save(page, `decision${suffix}`)
    await page.getByRole('button', { name: 'Run edited code' }).click()
    await page.getByText('shows all of it').waitFor()
    await page.getByRole('img', { name: 'walk.png' }).waitFor()
    await expect.poll(() => heightOf(page.getByRole('img', { name: 'walk.png' }))).toBe(240)
    await scroll(page.getByRole('region', { name: 'Conversation' }), 'end')
    await save(page, `run${suffix}`)
    expect(open.faults).toEqual([])
  })

  it('of a phone', async () => {
    await using server = await serveTest({ executors, script })
    const viewport = { width: 390, height: 844 }
    await using open = await openPage(browser, server, { viewport, deviceScaleFactor: 2, hasTouch: true })
    await say(open.page, task)
    await answerable(open.page)
    await save(open.page, 'phone')
    expect(open.faults).toEqual([])
  })
})
