// Bundles a page and serves it on 127.0.0.1, beside the routes that it calls.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { html } from 'hono/html'
import { build, defaultClientConditions, type Rolldown } from 'vite'

/** @param name - Name of a file in `pages`, without `.tsx`. */
export async function servePage(name: string, routes: Hono): Promise<void> {
  const script = await bundle(join(import.meta.dirname, 'pages', `${name}.tsx`))
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Fenced</title>
      <link rel="icon" href="data:," />
      <div id="root"></div>
      <script type="module" src="/page.js"></script>
    </html>`
  const app = new Hono()
  // Other sites that the person visits reach this server, too.
  app.use(csrf(), (context, next) =>
    new URL(context.req.url).hostname === '127.0.0.1' ? next() : Promise.resolve(context.notFound()),
  )
  app.get('/', (context) => context.html(page))
  app.get('/page.js', (context) => context.body(script, 200, { 'content-type': 'text/javascript' }))
  app.route('/', routes)
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 0) }, (address) =>
    console.log(`http://127.0.0.1:${(address as AddressInfo).port}/`),
  )
}

async function bundle(input: string): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    // In this repository, packages are read from their sources.
    resolve: { conditions: ['@fenced/source', ...defaultClientConditions] },
    build: { write: false, rollupOptions: { input } },
    oxc: { jsx: { runtime: 'automatic' } },
  })) as Rolldown.RolldownOutput
  return built.output[0].code
}
