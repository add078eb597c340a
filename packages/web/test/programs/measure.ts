// What the page costs, measured in a browser: see bench/web.bench.ts.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { buildPage } from '../../scripts/build-page.ts'
import { decision, launchBrowser, openPage, say } from '../browser.ts'
import { lastAnswer, writeLongConversation } from '../long-conversation.ts'
import { chromiumPath } from '../requirements.ts'
import { program, serveTest, type TestServer } from '../served.ts'

const rounds = 10

/** What is printed while it is measured: without an end, 100 MB without a line break, and as many lines as the page keeps. */
const outputs = {
  yes: program('yes', { language: 'sh' }),
  line: program('head -c 100000000 /dev/zero | tr "\\0" x; sleep 60', { language: 'sh' }),
  lines: program('seq 100000; sleep 60', { language: 'sh' }),
}

async function measure() {
  if (chromiumPath === undefined) return { missing: 'there is no chromium' }
  await buildPage()
  const directory = mkdtempSync(join(tmpdir(), 'fenced-web-bench-'))
  const answers = Object.values(outputs).flatMap((answer) => [answer])
  const file = fileURLToPath(new URL('serve.ts', import.meta.url))
  // A process of its own: what drives the browser is not in its memory.
  const child = fork(file, [directory, ...answers], {
    // As `pnpm demo web`: V8's young generation alone takes up to 128 MiB where there is much memory.
    execArgv: ['--conditions=@fenced/source', '--max-semi-space-size=16', '--expose-gc'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const browser = await launchBrowser()
  try {
    const [printed] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    const server = JSON.parse(String(printed)) as TestServer
    const firstPaintMs = await firstPaints(browser, server)
    const flood = { browser, server, child }
    const yes = await measureFlood(flood, async (page) => {
      await page.getByText(/characters are left out here/).waitFor()
      return keys(page)
    })
    const line = await measureFlood(flood, async (page) => {
      await page.getByText(/characters are left out here/).waitFor()
      return keys(page)
    })
    const lines = await measureFlood(flood, async (page) => {
      await page.locator('.line').getByText('100000', { exact: true }).waitFor()
      return page.evaluate(framesOfScrolling)
    })
    const { values: scrollMs } = lines
    const openMs = await openings(browser)
    return {
      ...{ pageBytes: pageBytes(), firstLoadBytes: firstLoadBytes(), firstPaintMs, openMs },
      ...{ yes, line, scrollMs },
    }
  } finally {
    await browser.close()
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
}

async function firstPaints(browser: Browser, server: TestServer): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await using open = await openPage(browser, server)
    await open.page.getByText('What should the model work on?').waitFor()
    times.push(await open.page.evaluate(firstContentfulPaint))
  }
  return times
}

/** Number of events of a long conversation. */
const events = 10_000

/** From the click on a long conversation to its last answer, in milliseconds. */
async function openings(browser: Browser): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fenced-web-bench-long-'))
  writeLongConversation(directory, events)
  const times: number[] = []
  try {
    await using server = await serveTest({ directory })
    for (let round = 0; round < rounds; round++) {
      await using open = await openPage(browser, server)
      await open.page.getByRole('button', { name: /^A long conversation/ }).waitFor()
      // The code of a conversation is loaded ahead.
      for (let tries = 0; tries < 500 && !(await open.page.evaluate(hasConversationCode)); tries++)
        await delay(20)
      times.push(await open.page.evaluate(timeOfOpening))
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return times
}

/** In the browser: whether the code that a conversation needs has arrived. */
const hasConversationCode =
  "performance.getEntriesByType('resource').some(({ name, responseEnd }) => /conversation-page/.test(name) && responseEnd > 0)" as unknown as () => boolean

/** In the browser: clicks, and waits for a frame that shows the last answer. */
const timeOfOpening = `(async () => {
  const began = performance.now()
  document.querySelector('.sidebar .title').click()
  const isShown = () => [...document.querySelectorAll('.answer')].at(-1)?.textContent.includes('${lastAnswer}')
  while (!isShown()) await new Promise(requestAnimationFrame)
  return performance.now() - began
})()` as unknown as () => number

interface Flood {
  readonly browser: Browser
  readonly server: TestServer
  readonly child: ChildProcess
}

/** Runs the next program, looks at the page meanwhile, and how both sides have grown. */
async function measureFlood(
  { browser, server, child }: Flood,
  look: (page: Page) => Promise<readonly number[]>,
) {
  await using open = await openPage(browser, server)
  const { page } = open
  await say(page, 'Print.')
  await decision(page).waitFor()
  child.send('begin')
  await decision(page).getByRole('button', { name: /^Run/ }).click()
  const values = await look(page)
  child.send('end')
  const [hostGrewBy] = (await once(child, 'message')) as [number]
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped.').waitFor()
  return { values, hostGrewBy, pageHeap: usedSize }
}

/** How long the page takes for a key, in milliseconds, 50 times. */
async function keys(page: Page): Promise<number[]> {
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.focus()
  const times: number[] = []
  for (let key = 0; key < 50; key++) {
    await delay(80)
    const began = performance.now()
    await page.keyboard.press('x')
    times.push(performance.now() - began)
  }
  return times
}

/** In the browser: from the navigation to the first picture with something in it, in milliseconds. */
const firstContentfulPaint =
  "performance.getEntriesByName('first-contentful-paint')[0].startTime" as unknown as () => number

/** In the browser: the time between two pictures while all lines are scrolled through in 120 steps, in milliseconds. */
const framesOfScrolling = `(async () => {
  const box = document.querySelector('[role=log]')
  const times = []
  let last = performance.now()
  for (let step = 0; step < 120; step++) {
    box.scrollTo(0, box.scrollHeight * step / 120)
    await new Promise(requestAnimationFrame)
    const now = performance.now()
    times.push(now - last)
    last = now
  }
  return times
})()` as unknown as () => number[]

/** The page, its styles and the scripts that it loads at first, gzipped, in bytes. */
function firstLoadBytes(): number {
  const folder = new URL('../../page/dist/', import.meta.url).pathname
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const names = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = '']) => name)
  return ['index.html', ...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0,
  )
}

function pageBytes(): number {
  const folder = new URL('../../page/dist/', import.meta.url).pathname
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.reduce(
    (sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length,
    0,
  )
}

process.stdout.write(JSON.stringify(await measure()))
