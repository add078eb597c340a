// @module-tag all

import type { UIMessageChunk } from 'ai'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { loggedUIMessageStream } from '../src/index.ts'
import { answerable, decision, launchBrowser, openPage, press, say, violations } from './browser.ts'
import { Client, isTurnEnd } from './client.ts'
import { pageModel, team } from './hosted.ts'
import { chromium, python } from './requirements.ts'
import { serveTest } from './served.ts'

it.skipIf(python.missing)('of a team, an export and a stream name who speaks', async () => {
  const models = [{ id: 'model', name: 'Model', model: pageModel() }]
  await using server = await serveTest({ models, agents: { team } })
  const client = await Client.of(server)
  const path = await client.start({ executor: 'local', model: 'team', text: 'Go.' })
  const answers = [{ decision: 'allow' }, { decision: 'allow' }, { decision: 'answer', text: 'Well done.' }]
  let seq = 0
  for (const answer of answers) {
    const asked = await client.until(path, ({ type }) => type === 'approval-requested', seq)
    seq = asked.at(-1)?.seq ?? 0
    expect((await client.answer(path, asked, answer)).status).toBe(204)
  }
  const events = await client.until(path, isTurnEnd)
  expect(events.at(-1)?.event).toEqual({ type: 'turn-end', status: 'done' })
  const markdown = await (await client.fetch(`${path}/export.md`)).text()
  expect(markdown).toMatch(
    /## coder\n\nI look it up\..*ok, exit code 0.*It ran\..*## boss\n\nWell done\..*## coder/s,
  )
  const notebook = await (await client.fetch(`${path}/export.ipynb`)).json()
  expect(JSON.stringify(notebook)).toContain('It ran.')
  const chunks: UIMessageChunk[] = []
  for await (const chunk of loggedUIMessageStream(events)) chunks.push(chunk)
  expect(chunks.at(-1)).toEqual({ type: 'finish' })
  expect(JSON.stringify(chunks)).toContain('That is all.')
})

describe.skipIf(chromium.missing || python.missing)('a team on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('asks its questions, shows who speaks and what its programs print, and is stopped', async () => {
    const models = [{ id: 'model', name: 'Model', model: pageModel() }]
    await using server = await serveTest({ models, agents: { team } })
    await using open = await openPage(browser, server)
    const { page } = open
    await page.getByRole('combobox', { name: 'Model' }).selectOption('team')
    await say(page, 'Go.')

    // A call of a tool.
    await decision(page).filter({ hasText: 'lookup' }).waitFor()
    await press(page, 'a')
    // A program that one agent writes, and another runs.
    await decision(page).filter({ hasText: 'SHA-256' }).waitFor()
    // Nothing moves on the page while a question waits.
    await page.getByText('coder calls lookup').click()
    await page.getByText('a wooden fence').waitFor()
    expect(await page.getByText('coder', { exact: true }).count()).toBe(2)
    await press(page, 'a')
    await page.getByRole('log').getByText('It ran.').waitFor()
    // A message of the person, in the name of an agent.
    const message = decision(page).filter({ hasText: 'boss' })
    await message.waitFor()
    expect(await violations(page)).toEqual([])
    await message.getByRole('textbox').fill('Well done.')
    await answerable(page)
    await message.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('That is all.').waitFor()
    expect(await page.getByText('Well done.').count()).toBe(1)

    // It is stopped at a question, and continues with a message.
    await say(page, 'Once more.')
    await message.waitFor()
    await answerable(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await page.getByText('Stopped.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await message.waitFor()
    expect(open.faults).toEqual([])
  })
})
