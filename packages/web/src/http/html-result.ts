import type { LoggedEvent } from '../event.ts'
import { Problem } from '../problem.ts'

/**
 * HTML that a program has shown, for a frame: without scripts, without this origin, and with nothing from elsewhere. A program
 * of a model has written it, with what it has read.
 */
export function htmlResult(logged: LoggedEvent | undefined): Response {
  const run = logged?.event.type === 'code' ? logged.event.event : undefined
  const result = run?.type === 'result' ? run.result : {}
  const svg = result['image/svg+xml']
  const html = result['text/html'] ?? svg
  if (typeof html !== 'string') throw new Problem(404, 'There is no such result.')
  return new Response(`${head}${html}`, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'",
      'Cache-Control': 'no-store',
    },
  })
}

const head = `<!doctype html><meta charset="utf-8"><style>
:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}body{margin:8px}
table{border-collapse:collapse}th,td{padding:4px 10px;border-bottom:1px solid #8884;text-align:right}
th{font-weight:600}img,svg{max-width:100%;height:auto}</style>`
