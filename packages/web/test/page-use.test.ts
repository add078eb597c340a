// @module-tag all

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rowTags } from '@fenced/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import {
  answerable,
  decision,
  eventually,
  launchBrowser,
  openPage,
  press,
  say,
  scroll,
  violations,
} from './browser.ts'
import { lastAnswer, writeLongConversation } from './long-conversation.ts'
import { bubblewrap, chromium, python } from './requirements.ts'
import { program, serveTest, stateful } from './served.ts'
import { walkStates } from './states.ts'

const rows = rowTags({ nightly: ['dark', 'phone'] })
const contexts = {
  light: { viewport: { width: 1280, height: 800 } },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} as const

describe.skipIf(chromium.missing || python.missing)('a person at the page', { concurrent: true }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it.skipIf(bubblewrap.missing).each(['light', 'dark', 'phone'] as const)(
    'meets no violation of axe in any state, %s',
    rows,
    async (name) => {
      const found: string[] = []
      const faults: string[] = []
      let count = 0
      await walkStates({
        browser,
        context: { ...contexts[name], reducedMotion: 'reduce' },
        seen: async (page, state) => {
          count++
          const rules = name === 'dark' ? 'colors' : 'all'
          for (const violation of await violations(page, rules)) found.push(`${state}: ${violation}`)
          const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          if (Number(width) > 0) found.push(`${state}: wider than the screen`)
        },
        ended: (more) => faults.push(...more),
      })
      expect(found).toEqual([])
      expect(faults).toEqual([])
      expect(count).toBeGreaterThan(20)
    },
  )

  it('reads in the list, the title and a notification which conversation waits', async () => {
    await using server = await serveTest({
      script: (_, prompt) => (prompt.some(({ role }) => role === 'assistant') ? 'Ran.' : program('print(1)')),
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await page.context().grantPermissions(['notifications'], { origin: server.origin })
    await page.evaluate(keepNotifications)
    await page.reload()
    await page.evaluate(keepNotifications)
    await page.getByRole('checkbox', { name: 'Notify me about decisions' }).check()
    await say(page, 'First task')
    await answerable(page)
    await eventually(async () => expect(await page.title()).toBe('(1) First task · Fenced'))
    const waiting = page.getByRole('region', { name: 'Waiting for you' })
    expect(await waiting.textContent()).toMatch(/First task.*decision/)
    // Another page begins a conversation while this one is in the background.
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    await using other = await openPage(browser, server)
    await say(other.page, 'Second task')
    await answerable(other.page)
    await eventually(async () => expect(await page.title()).toBe('(2) First task · Fenced'))
    await eventually(async () => expect(await page.evaluate('window.notified')).toEqual(['Second task']))
    await press(page, 'a')
    await page.getByText('Ran.').waitFor()
    await eventually(async () => expect(await page.title()).toBe('(1) First task · Fenced'))
    expect(await waiting.textContent()).not.toContain('First task')
    expect([open.faults, other.faults]).toEqual([[], []])
  })

  it('sees what is sent, and opens a long conversation at its end', async ({ onTestFinished }) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-long-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    writeLongConversation(directory, 3_000)
    await using server = await serveTest({ directory, script: ['Answered.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await page.getByRole('button', { name: /^A long conversation/ }).click()
    const inView = (text: string) =>
      eventually(async () => {
        const box = await page.getByText(text, { exact: true }).boundingBox()
        expect(box === null ? -1 : box.y).toBeGreaterThan(0)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(860)
      })
    await inView(lastAnswer)
    expect(await page.locator('.item').count()).toBeLessThan(60)
    const items = page.getByRole('region', { name: 'Conversation', exact: true })
    await scroll(items, 'start')
    await inView('Message 1.')
    await say(page, 'And now?')
    await inView('Answered.')
    await scroll(items, 'start')
    await page.getByRole('button', { name: 'To the newest' }).click()
    await inView('And now?')
    expect(open.faults).toEqual([])
  })

  it('has a page of documents without a model, and chooses which programs run', async () => {
    await using server = await serveTest({ models: [] })
    await using open = await openPage(browser, server)
    const { page } = open
    await page.getByText('No model is configured').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByLabel('Runs in').textContent()).toBe('This machine (not isolated)')
    expect(await page.locator('.place').textContent()).toMatch(/not isolated.*time of each program 60 s/)
    const buffer = Buffer.from(['one', 'two', 'three'].map((each) => program(`print("${each}")`)).join('\n'))
    await page
      .getByLabel('Choose a document')
      .setInputFiles({ name: 'steps.md', mimeType: 'text/markdown', buffer })
    await page.getByRole('heading', { name: 'Run these 3 programs?' }).waitFor()
    await answerable(page)
    await page.getByRole('checkbox', { name: /2\. python/ }).uncheck()
    await page.getByRole('button', { name: 'Run 2 of 3' }).click()
    await eventually(async () => expect(await page.getByText('finished').count()).toBe(2))
    expect(await page.getByRole('log').allTextContents()).toEqual(['one', 'three'])
    await page.getByText('not run: left out by the person').waitFor()
    expect(open.faults).toEqual([])
  })

  it('reads a repair as its changes, and edits in the place of the program', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `value_${index} = ${index}`)
    const broken = [...lines, 'print(value_39 + missing)'].join('\n')
    const repaired = [...lines, 'print(value_39 + value_1)'].join('\n')
    await using server = await serveTest({ script: [program(broken), program(repaired), 'Done.'] })
    await using open = await openPage(browser, server, { viewport: { width: 1280, height: 800 } })
    const { page } = open
    await say(page, 'Add.')
    await press(page, 'a')
    await page.getByText('Changes to the earlier version').waitFor()
    const changes = page.getByRole('region', { name: 'Changes' })
    expect(await changes.locator('.removed').allTextContents()).toEqual(['-print(value_39 + missing)'])
    expect(await changes.textContent()).not.toContain('value_0 = 0')
    await page.getByRole('button', { name: 'Show the whole program' }).click()
    await page.getByText('value_0 = 0').last().waitFor()
    await press(page, 'e')
    const editor = page.getByRole('textbox', { name: /Program 1/ })
    await editor.fill(repaired.replace('value_1)', 'value_2)'))
    // Tab indents, so Escape leaves the editor.
    await editor.press('Escape')
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Decision')
    // All that an edit needs is on the screen.
    const parts = [page.locator('.editor'), changes, page.getByRole('button', { name: 'Run edited code' })]
    for (const part of parts) await eventually(async () => expect(await isOnScreen(page, part)).toBe(true))
    await page.getByRole('button', { name: 'Run edited code' }).click()
    await page.getByText('Done.').waitFor()
    expect(await page.getByRole('log').last().textContent()).toBe('41')
    expect(open.faults).toEqual([])
  })

  it('uses the keyboard alone, from the task to the list and the files', async () => {
    const code = 'open("table.csv", "w").write("a,b\\n1,2\\n")\nopen("page.html", "w").write("<b>bold</b>")'
    await using server = await serveTest({ script: [program(code), 'Written.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    const focused = () =>
      page.evaluate('document.activeElement?.textContent || document.activeElement?.ariaLabel')
    await eventually(async () => expect(await focused()).toBe('Task'))
    await page.keyboard.type('Write? Yes.')
    await page.keyboard.press('Enter')
    await answerable(page)
    await decision(page).focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page.getByText('Written.').waitFor()
    await page.getByRole('button', { name: 'Files', exact: true }).press('Enter')
    await eventually(async () => expect(await focused()).toBe('Files'))
    await page.getByRole('button', { name: /table\.csv/ }).press('Enter')
    const cells = page.getByRole('cell')
    await eventually(async () => expect(await cells.allTextContents()).toEqual(['1', '2']))
    await page.getByRole('button', { name: /page\.html/ }).press('Enter')
    await page.frameLocator('iframe').getByText('bold').waitFor()
    await page.keyboard.press('Escape')
    await eventually(async () => expect(await page.getByRole('list', { name: 'All files' }).count()).toBe(0))
    // The first tab stop skips the list.
    await page.reload()
    await page.getByText('Written.').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip the list of conversations')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused()).toContain('Files')
    expect(open.faults).toEqual([])
  })

  it.skipIf(bubblewrap.missing)('undoes steps by the keyboard, and sees the variables', async () => {
    const steps = [
      'count = 1\nwords = ["fence"]',
      'import tools\ncount = tools.store(words=words)\nopen("stored.txt", "w").close()',
      'words.clear()',
    ]
    await using server = await serveTest({
      executors: [stateful],
      script: [...steps.flatMap((code, index) => [program(code), `Done ${index + 1}.`]), 'It is 1.'],
      tools: { store: { description: 'Stores words.', execute: () => 42 } },
    })
    // High enough for all items: only those in view are in the document.
    await using open = await openPage(browser, server, { viewport: { width: 1280, height: 2_400 } })
    const { page } = open
    const panel = page.getByRole('complementary', { name: 'Files and variables' })
    const variables = panel.getByRole('list', { name: 'All variables' }).getByRole('listitem')
    const shows = (...rows: (string | RegExp)[]) =>
      eventually(async () =>
        expect(await variables.allTextContents()).toEqual(rows.map((row) => expect.stringMatching(row))),
      )
    await say(page, 'Step 1')
    await press(page, 'a')
    await page.getByText('Done 1.').waitFor()
    await say(page, 'Step 2')
    await answerable(page)
    await page.getByRole('button', { name: 'Files and variables' }).click()
    // Also while a question is open.
    await shows(/^countint28 bytes1$/, /^wordslist\d+ bytes\['fence'\]$/)
    await press(page, 'a')
    await page.getByText('Done 2.').waitFor()
    await shows(/^countint28 bytes42$/, /^wordslist/, /module/)
    await panel.getByRole('button', { name: /stored\.txt/ }).waitFor()
    await say(page, 'Step 3')
    await press(page, 'a')
    await page.getByText('Done 3.').waitFor()
    await shows(/42$/, /\[\]$/, /module/)
    const buttons = page.getByRole('button', { name: /^Undo/ })
    expect((await buttons.allTextContents()).map((text) => text.trim())).toEqual([
      'Undo this step and 2 later',
      'Undo this step and 1 later',
      'Undo this step',
    ])
    expect(await violations(page)).toEqual([])
    await buttons.nth(1).focus()
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await page.getByText(/then undone/).count()).toBe(2))
    await shows(/^countint28 bytes1$/, /\['fence'\]$/)
    await eventually(async () =>
      expect(await panel.getByRole('button', { name: /stored\.txt/ }).count()).toBe(0),
    )
    const note =
      'Blocks 2 to 3 were undone. Variables and files are as after block 1. Not undone: calls of tools (1 of `store`).'
    expect(await page.locator('p.note', { hasText: 'undone' }).textContent()).toContain(note)
    expect(await page.locator('[aria-live]').textContent()).toBe(note)
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Conversation')
    expect(await violations(page)).toEqual([])
    expect((await buttons.allTextContents()).map((text) => text.trim())).toEqual(['Undo this step'])
    await say(page, 'What is count?')
    await page.getByText('It is 1.').waitFor()
    expect(JSON.stringify(server.model.prompts.at(-1))).toContain(note)
    // A page that is opened later shows the same.
    await page.reload()
    await page.getByText('It is 1.').waitFor()
    expect(await page.getByText(/then undone/).count()).toBe(2)
    expect(open.faults).toEqual([])
  })

  it('shares a conversation as one file that loads nothing and has no secrets', async ({
    onTestFinished,
  }) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-share-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const secret = `sk-${'abcd1234'.repeat(4)}`
    const code = `import os\nprint("${secret}", os.getcwd(), "of Ada <b>")`
    await using server = await serveTest({ script: [program(code), 'For **Ada**.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, `Ada: ${secret}`)
    await press(page, 'a')
    await page.getByText('For Ada.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: /Share as a file/ }).click()
    await page.getByLabel('Replace these texts').fill('Ada')
    const contents = page.getByRole('region', { name: 'What the file contains' })
    expect(await contents.textContent()).toMatch(/1 message.*1 program, 1 with output.*0 pictures/)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the file' }).click()
    const path = join(directory, 'shared.html')
    await (await download).saveAs(path)
    const html = await readFile(path, 'utf8')
    for (const hidden of [secret, 'Ada', server.directory, '<script', 'http:', 'https:'])
      expect(html).not.toContain(hidden)
    const url = pathToFileURL(path).href
    await using shared = await openPage(browser, { url, origin: 'null' })
    expect(await shared.page.locator('.output-text').textContent()).toBe('[redacted] . of [redacted] <b>')
    expect(await shared.page.locator('strong').textContent()).toBe('[redacted]')
    expect(await violations(shared.page)).toEqual([])
    expect(open.faults).toEqual([])
  })

  it('enters a new token where the old one is refused', async () => {
    await using server = await serveTest({ script: ['Hello.'] })
    await using open = await openPage(browser, server, { address: server.origin })
    const { page } = open
    const field = page.getByLabel('Token, or the address')
    await field.fill('wrong')
    await field.press('Enter')
    await page.getByText('This is not the token of this server').waitFor()
    await field.fill(server.url)
    await field.press('Enter')
    await say(page, 'Hello?')
    await page.getByText('Hello.', { exact: true }).waitFor()
    expect(open.faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })
})

async function isOnScreen(page: Page, part: ReturnType<Page['getByRole']>): Promise<boolean> {
  const box = await part.last().boundingBox()
  const { height } = page.viewportSize() ?? { height: 0 }
  return box !== null && box.y >= 0 && box.y + box.height <= height
}

/** In the browser: keeps the titles of notifications, which a browser without a screen does not show. */
const keepNotifications = `(() => {
  window.notified = []
  window.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title) { window.notified.push(title) }
    close() {}
  }
})()`
