// @module-tag nightly

import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { launchBrowser } from './browser.ts'
import { bubblewrap, chromium, python } from './requirements.ts'
import { walkStates } from './states.ts'

/** Names of the states whose pictures in the documentation are replaced, separated by commas, or `all`. */
const replaced = process.env.FENCED_PICTURES?.split(',') ?? []

/** Where the pictures of the documentation are; another folder where they are not to be replaced. */
const folder =
  replaced.length > 0
    ? fileURLToPath(new URL('../../../docs/web/', import.meta.url))
    : fileURLToPath(new URL('../node_modules/.pictures/', import.meta.url))

const desktop = { viewport: { width: 1280, height: 800 } }

/** How the states are seen, and which of them are saved. Each name ends with the key. */
const looks = {
  '': { context: desktop, saved: undefined },
  '-dark': {
    context: { ...desktop, colorScheme: 'dark' },
    saved: ['edit', 'run', 'files', 'list', 'undone'],
  },
  '-phone': {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true },
    saved: ['first-visit', 'question', 'repair', 'several-programs', 'list', 'files', 'variables', 'undone'],
  },
} as const

/** The names of pictures that other pages know. */
const names: Readonly<Record<string, string>> = { edit: 'decision' }

const isMissing = chromium.missing || python.missing || bubblewrap.missing

describe.skipIf(isMissing)('the pictures of the documentation', { concurrent: true }, () => {
  let browser: Browser
  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it.each(Object.entries(looks))(
    'show every state of the page, named with "%s"',
    async (suffix, { context, saved }) => {
      const all: string[] = []
      await walkStates({
        browser,
        // Nothing moves in a picture.
        context: { ...context, reducedMotion: 'reduce' },
        seen: async (page, state) => {
          all.push(state)
          const isReplaced =
            replaced.length === 0 || replaced.some((each) => each === 'all' || each === state)
          const isSaved = isReplaced && (saved?.some((each) => each === state) ?? true)
          const path = `${folder}${names[state] ?? state}${suffix}.png`
          const picture = await page.screenshot(isSaved ? { path } : {})
          // A page that shows nothing compresses to a few kilobytes.
          expect(picture.length, state).toBeGreaterThan(suffix === '-phone' ? 8_000 : 12_000)
        },
        ended: (faults) => expect(faults).toEqual([]),
      })
      expect(all).toEqual(expect.arrayContaining([...(saved ?? [])]))
    },
  )
})
