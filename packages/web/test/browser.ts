import AxeModule from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { vi } from 'vitest'
import { chromiumPath } from './requirements.ts'
import type { TestServer } from './served.ts'

/** How long a test waits for something on the page, in milliseconds: a hang, not a speed. */
const timeoutMs = 20_000

/** Waits until a check holds. Vitest's `expect.poll` does not work in tests that run at the same time. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: timeoutMs, interval: 50 })
}

export async function launchBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}

/** A page of a server, with all that went wrong in it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Errors of scripts, messages of the console, and requests that went elsewhere. */
  readonly faults: readonly string[]
}

export async function openPage(
  browser: Browser,
  { url, origin }: Pick<TestServer, 'url' | 'origin'>,
  options: BrowserContextOptions & { readonly address?: string } = {},
): Promise<OpenPage> {
  const { address = url, ...rest } = options
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...rest })
  context.setDefaultTimeout(timeoutMs)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  await context.route('**', async (route) => {
    const { protocol, origin: target } = new URL(route.request().url())
    if (target === origin || protocol === 'data:') return route.continue()
    faults.push(`a request to ${route.request().url()}`)
    return route.abort()
  })
  await page.goto(address)
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Writes a message, once the page takes one: it sends none while something is done. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Stop' }).first().waitFor({ state: 'hidden' })
  const first = page.getByRole('textbox', { name: 'Task' })
  const field = first.or(page.getByRole('textbox', { name: 'Message' }))
  await field.fill(text)
  await field.press('Enter')
}

export function decision(page: Page) {
  return page.getByRole('region', { name: 'Decision' })
}

/** The question, once it takes an answer. */
export async function answerable(page: Page): Promise<Locator> {
  await decision(page).locator('button:enabled').first().waitFor()
  return decision(page)
}

/** Presses a key while the question, or its form, has the focus. */
export async function press(page: Page, key: string): Promise<void> {
  await (await answerable(page)).press(key)
}

/** What axe finds against WCAG 2.2 AA, in words: all of it, or what depends on colors. */
export async function violations(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  const { source } = AxeModule
  // The policy of the page lets no script in but its own: this one comes by the protocol of the browser.
  await page.evaluate(source)
  const results = await page.evaluate(async (isAll) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const runOnly = isAll ? tags : ({ type: 'rule', values: ['color-contrast'] } as const)
    return (await axe.run({ runOnly } as import('axe-core').RunOptions)).violations
  }, rules === 'all')
  return results.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** Scrolls a region to its beginning or its end. */
export async function scroll(region: Locator, to: 'start' | 'end'): Promise<void> {
  await region.evaluate((element, isEnd) => {
    const { scrollHeight } = element as unknown as { scrollHeight: number }
    const box = element as unknown as { scrollTo(left: number, top: number): void }
    box.scrollTo(0, isEnd ? scrollHeight : 0)
  }, to === 'end')
}

/** How high a picture is that has been loaded; 0 before. */
export function heightOf(picture: Locator): Promise<number> {
  return picture.evaluate((element) => (element as unknown as { naturalHeight: number }).naturalHeight)
}
