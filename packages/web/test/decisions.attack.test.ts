import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import type { LoggedEvent } from '../src/index.ts'
import { answerable, decision, eventually, launchBrowser, openPage, press, say } from './browser.ts'
import { Client, isTurnEnd } from './client.ts'
import { chromium, python } from './requirements.ts'
import { program, serveTest, type TestServer } from './served.ts'

describe.skipIf(chromium.missing || python.missing)('a decision on the page', { concurrent: true }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('is not made by a key that is held down over two questions', async () => {
    await using server = await serveCalls()
    await using open = await openPage(browser, server)
    const { page } = open
    await askForCalls(page)
    await answerable(page)
    await decision(page).focus()
    await page.keyboard.down('a')
    await question(page, 'second').waitFor()
    await answerable(page)
    await decision(page).focus()
    // Playwright sends a key that is down already as a browser does: as a repetition.
    await page.keyboard.down('a')
    await page.keyboard.down('a')
    await page.keyboard.up('a')
    // Nor by the Enter that opened a form.
    await question(page, 'second').getByRole('button', { name: 'Deny' }).focus()
    await page.keyboard.down('Enter')
    const reason = page.getByRole('textbox', { name: /The model reads it/ })
    await reason.waitFor()
    await answerable(page)
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await reason.fill('Typed.')
    await page.keyboard.press('Enter')
    await page.getByText('The end.').waitFor()
    expect(await answers(server, page)).toEqual(['allow', 'allow', 'deny: Typed.'])
    expect(open.faults).toEqual([])
  })

  it('is not made by a click or key that comes as the question appears', async () => {
    await using server = await serveCalls()
    await using open = await openPage(browser, server)
    const { page } = open
    await askForCalls(page)
    await page.evaluate(answerAtOnce)
    // The second click of a double click finds nothing to press, either.
    await question(page, 'first').getByRole('button', { name: 'Allow' }).dblclick()
    await question(page, 'second').waitFor()
    await eventually(async () => expect(await page.evaluate('window.tries')).toBeGreaterThan(0))
    await deny(page)
    await page.getByText('The end.').waitFor()
    expect(await answers(server, page)).toEqual(['allow', 'allow', 'deny: A person did not want it.'])
    expect(open.faults).toEqual([])
  })

  it('is not made by what is typed beside the card', async () => {
    await using server = await serveTest({ script: [program('print("ran")'), 'The end.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Print something.')
    await answerable(page)
    await page.locator('h1').click()
    await page.keyboard.type('and what is this?')
    await page.reload()
    await answerable(page)
    await page.keyboard.type('and what is this?')
    // The question mark opens the help.
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Message' }).click()
    await page.keyboard.type('and what is this?')
    await press(page, 'Control+a')
    await press(page, 'd')
    await deny(page)
    await page.getByText('The end.').waitFor()
    expect(await answers(server, page)).toEqual(['deny: A person did not want it.'])
    expect(open.faults).toEqual([])
  })

  it('is made about a program that was never allowed before it is run again', async () => {
    await using server = await serveTest({ script: [program('open("ran", "w").close()'), 'The end.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Run.')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await press(page, 'd')
    await deny(page)
    expect(await answers(server, page, 2)).toEqual(['deny: A person did not want it.'])
    const client = await Client.of(server)
    expect(await (await client.fetch(`${path(page)}/files`)).json()).toEqual([])
    expect(open.faults).toEqual([])
  })
})

/** A program that calls a tool twice, one call after the other: each is a question. */
function serveCalls(): Promise<TestServer> {
  const code = `import tools
for word in ("first", "second"):
    try: tools.lookup(word=word)
    except Exception as error: print(error)`
  return serveTest({
    script: [program(code), 'The end.'],
    tools: { lookup: { description: 'Looks a word up.', needsApproval: true, execute: () => 'found' } },
  })
}

async function askForCalls(page: Page): Promise<void> {
  await say(page, 'Look it up.')
  await decision(page).getByRole('button', { name: /^Run/ }).click()
  await question(page, 'first').waitFor()
}

function question(page: Page, word: string) {
  return decision(page).filter({ hasText: `"word": "${word}"` })
}

async function deny(page: Page): Promise<void> {
  const button = decision(page).getByRole('button', { name: /^Deny/ })
  if ((await page.getByRole('textbox', { name: /The model reads it/ }).count()) === 0) await button.click()
  await decision(page).getByRole('button', { name: 'Deny', exact: true }).click()
}

/** Runs in the page: clicks and presses a key in the moment in which the second question is there. */
const answerAtOnce = `(() => {
  window.tries = 0
  new MutationObserver(() => {
    const card = document.querySelector('.decision')
    if (!card?.textContent.includes('"second"') || window.tries > 0) return
    window.tries++
    card.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
    card.querySelector('.primary').click()
  }).observe(document.body, { childList: true, subtree: true })
})()`

/** Of the requests about the conversation that is shown. */
function path(page: Page): string {
  return `/api/conversations/${new URL(page.url()).searchParams.get('c')}`
}

/** The answers that reached the server until the end of a turn, in order. */
async function answers(server: TestServer, page: Page, turns = 1): Promise<string[]> {
  const client = await Client.of(server)
  let ended = 0
  const isEnd = (event: LoggedEvent['event']) => isTurnEnd(event) && ++ended === turns
  const events = await client.until(path(page), isEnd)
  return events.flatMap(({ event }) => {
    if (event.type !== 'approval-answered') return []
    const { answer } = event
    return [answer.decision === 'deny' ? `deny: ${answer.reason}` : answer.decision]
  })
}
