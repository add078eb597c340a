import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { MimeBundle } from '@fenced/core'
import { defineExecutor } from '@fenced/core/driver'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { decision, heightOf, launchBrowser, openPage, say } from './browser.ts'
import { hostileHtml, hostileSvg } from './hostile-html.ts'
import { chromium } from './requirements.ts'
import { program, serveTest, type TestServer } from './served.ts'

describe.skipIf(chromium.missing)('HTML that a program shows', () => {
  let browser: Browser
  let listener: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    await buildPage()
    listener = await listen()
    const rules = `MAP *.test 127.0.0.1:${listener.port}`
    browser = await launchBrowser('--no-proxy-server', `--host-resolver-rules=${rules}`)
  })
  afterAll(async () => {
    await browser?.close()
    await listener?.close()
  })

  it('connects to nothing, navigates nowhere and sends nothing, whether it is clicked or not', async () => {
    // A browser that connects for HTTPS says the name, also where a policy stops its request.
    const address = (name: string) => `https://${name}.evil.test/`
    const documents = Object.values(hostileHtml(address))
    const pictures = Object.values(hostileSvg(address))
    await using server = await serveResults([
      ...documents.map((html) => ({ 'text/html': html })),
      ...pictures.map((svg) => ({ 'image/svg+xml': svg })),
    ])
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(server.url)
    await show(page)
    await page
      .locator('iframe')
      .nth(documents.length - 1)
      .waitFor()
    const frames = page.frames().filter((frame) => frame.parentFrame() === page.mainFrame())
    expect(frames).toHaveLength(documents.length)
    for (const frame of frames) {
      await frame.getByText('shown', { exact: true }).waitFor()
      for (const target of await frame.getByText('click me').all()) await target.click()
    }
    expect(listener.seen).toEqual([])
    // Connections of the last clicks have begun before this one, which arrives.
    const control = await context.newPage()
    await control.goto('http://control.evil.test/')
    expect(new Set(listener.seen.filter((name) => name !== unnamed))).toEqual(new Set(['control']))
    expect(context.pages()).toHaveLength(2)
    expect(page.url()).toContain(server.origin)
    expect(
      new Set(
        page
          .frames()
          .slice(1)
          .map((frame) => frame.url()),
      ),
    ).toEqual(new Set(['about:srcdoc']))
    expect(page.frames()).toHaveLength(documents.length + 1)
    await context.close()
  })

  it('keeps the look of a table, of its styles and of pictures that are part of it', async () => {
    await using server = await serveResults([{ 'text/html': table }, { 'image/svg+xml': plot }])
    await using open = await openPage(browser, server)
    const { page } = open
    await show(page)
    const frame = page.frameLocator('iframe')
    const styleOf = (text: string) =>
      frame.getByText(text, { exact: true }).evaluate((element) => {
        // Browser code, which has no types here.
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): Record<string, string>
        }
        const { color, backgroundColor, backgroundImage, textAlign, verticalAlign, fontWeight } =
          getComputedStyle(element)
        return { color, backgroundColor, backgroundImage, textAlign, verticalAlign, fontWeight }
      })
    expect(await styleOf('0')).toMatchObject({ verticalAlign: 'top', fontWeight: '600' })
    expect(await styleOf('name')).toMatchObject({ textAlign: 'left' })
    expect(await styleOf('1.5')).toMatchObject({
      color: 'rgb(241, 241, 241)',
      backgroundColor: 'rgb(68, 1, 84)',
    })
    expect((await styleOf('2.5')).backgroundImage).toContain('linear-gradient(90deg')
    expect(await styleOf('a note')).toMatchObject({ color: 'rgb(255, 0, 0)' })
    expect(await heightOf(frame.getByAltText('a plot'))).toBe(1)
    expect(await heightOf(page.getByAltText('a drawing'))).toBe(20)
    expect(open.faults).toEqual([])
  })

  it('is not shown where it would keep the page busy', async () => {
    const documents = ['<b>'.repeat(20_001), 'x'.repeat(1_000_001), '<style></style>'.repeat(101)]
    await using server = await serveResults(documents.map((html) => ({ 'text/html': html })))
    await using open = await openPage(browser, server)
    const { page } = open
    await show(page)
    for (const problem of ['20,000 elements', '1,000,000 characters besides pictures', '100 style elements'])
      await page.getByText(`This HTML is not shown: it has more than ${problem}.`).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })
})

/** As pandas writes a table, its styler the second one, and a report its plots. */
const table = `<style type="text/css">
#T_1_row0_col0 { background-color: #440154; color: #f1f1f1; }
#T_1_row1_col0 { width: 10em; background: linear-gradient(90deg, #d65f5f 66.7%, transparent 66.7%); }
</style>
<div><style scoped>
.dataframe tbody tr th { vertical-align: top; }
.dataframe thead th { text-align: left; }
</style>
<table border="1" class="dataframe"><thead><tr><th></th><th>name</th></tr></thead>
<tbody><tr><th>0</th><td id="T_1_row0_col0">1.5</td></tr><tr><th>1</th><td id="T_1_row1_col0">2.5</td></tr></tbody></table></div>
<p style="color: red; margin: 4px">a note</p>
<img alt="a plot" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">`

const plot = '<svg width="30" height="20"><rect width="30" height="20" fill="green"/></svg>'

/** A server whose only executor shows these results for any program. */
function serveResults(results: readonly MimeBundle[]): Promise<TestServer> {
  const shows = defineExecutor({
    name: 'shows',
    languages: ['python'],
    driver: () => ({
      run: async (_, io) => {
        for (const result of results) io.result({ 'text/plain': 'a drawing', ...result })
        return { exitCode: 0 }
      },
    }),
  })
  return serveTest({
    executors: [{ id: 'shows', name: 'Shows', createExecutor: () => shows() }],
    script: [program('show()'), 'The end.'],
  })
}

async function show(page: Page): Promise<void> {
  await say(page, 'Show it.')
  await decision(page).getByRole('button', { name: /^Run/ }).click()
  await page.getByText('The end.').waitFor()
}

/** A connection without a name, as a browser opens it ahead for a page that a person goes to. */
const unnamed = 'unnamed'

/** Stands for every host of the internet. Keeps the names for which a browser connects: of a request, or of TLS. */
async function listen() {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const place = seen.push(unnamed) - 1
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (data) => {
      seen[place] = /([\w-]+)\.evil\.test/.exec(data.toString('latin1'))?.[1] ?? unnamed
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen: seen as readonly string[],
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
