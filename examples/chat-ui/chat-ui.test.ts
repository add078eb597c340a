import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { requirement } from '@fenced/testing'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Each example is run as it stands, in a real browser; only the model has its answers ready.

function problemOf(program: string, ...args: readonly string[]): string | undefined {
  try {
    execFileSync(program, args)
    return undefined
  } catch (error) {
    return `${program} ${args.join(' ')} does not work here: ${error}`
  }
}

const bubblewrap = requirement('bubblewrap', problemOf('bwrap', '--ro-bind', '/', '/', 'true'))
const chromiumPath = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim() ?? '')
  .find((path) => path !== '')
const chromium = requirement('chromium', chromiumPath === undefined ? 'no Chromium is there' : undefined)
const python = requirement('python', problemOf('python3', '--version'))

interface Example extends AsyncDisposable {
  readonly page: Page
  /** Errors of scripts and messages of the console. */
  readonly faults: readonly string[]
}

/** Starts a server, and opens its page. */
async function open(browser: Browser, name: string): Promise<Example> {
  const provider = join(import.meta.dirname, 'scripted-provider.ts')
  const args = ['--conditions=@fenced/source', '--import', provider, join(import.meta.dirname, `${name}.ts`)]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface({ input: server.stdout }), 'line')
  const context = await browser.newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  await page.goto(url)
  return { page, faults, [Symbol.asyncDispose]: () => close(server, () => context.close()) }
}

async function close(server: ChildProcess, closePage: () => Promise<void>): Promise<void> {
  await closePage()
  server.kill('SIGTERM')
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
}

async function ask(page: Page, task: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Task' })
  await field.fill(task)
  await field.press('Enter')
}

const button = (page: Page, name: string) => page.getByRole('button', { name })

describe.skipIf(chromium.missing || bubblewrap.missing || python.missing)(
  'the pages',
  { concurrent: true },
  () => {
    let browser: Browser
    beforeAll(async () => {
      const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
      browser = await playwright.launch({ executablePath: chromiumPath ?? 'chromium', args })
    })
    afterAll(() => browser?.close())

    it('team.ts asks about a program of a team, stops one, and continues', async () => {
      await using example = await open(browser, 'team')
      const { page } = example
      await ask(page, 'How many primes are there?')
      await button(page, 'Allow').click()
      await page.getByText('There are 168.').waitFor()
      expect(await page.getByRole('heading').allTextContents()).toEqual(['writer', 'runner', 'writer'])
      expect(await page.locator('samp').textContent()).toBe('168\n')
      await ask(page, 'Please wait.')
      await button(page, 'Allow').click()
      await page.getByText('begun', { exact: true }).waitFor()
      await button(page, 'Stop').click()
      await page.getByText('Program: stopped').waitFor()
      await ask(page, 'How many primes are there again?')
      await button(page, 'Deny').click()
      await page.getByText('Then I cannot tell.').waitFor()
      expect(example.faults).toEqual([])
    })

    it('tool.ts asks before a call of the tool, and shows its output', { tags: 'nightly' }, async () => {
      await using example = await open(browser, 'tool')
      const { page } = example
      await ask(page, 'How many digits does it have?')
      await button(page, 'Allow').click()
      await page.getByText('It has 302 digits.').waitFor()
      expect(await page.locator('samp').textContent()).toBe('302\n')
      await ask(page, 'And how many digits does it have now?')
      await button(page, 'Deny').click()
      await page.getByText('Then I cannot tell.').waitFor()
      expect(example.faults).toEqual([])
    })
  },
)
