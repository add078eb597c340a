import { useMemo } from 'react'
import { formatBytes } from './format.ts'
import { safeHtml } from './safe-html.ts'

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
}

/**
 * HTML that a program shows, in a frame. A program of a model has written it, with what it has read: it is made anew from an
 * allowlist, has no rights and no origin in the frame, and may load nothing.
 */
export function HtmlFrame({ html, title }: HtmlFrameProps) {
  const isShown = html.length <= maxLength
  const content = useMemo(() => (isShown ? `${head}${safeHtml(html)}` : ''), [html, isShown])
  if (!isShown)
    return (
      <p className="note">
        The program shows {formatBytes(html.length)} of HTML, which is too much to show here. The limit is{' '}
        {formatBytes(maxLength)}.
      </p>
    )
  return <iframe className="frame" title={title} sandbox="" referrerPolicy="no-referrer" srcDoc={content} />
}

/** In characters. The page stands still while it makes HTML anew. */
const maxLength = 4_000_000

const head = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>
:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}body{margin:8px}
table{border-collapse:collapse}th,td{padding:4px 10px;border-bottom:1px solid #8884;text-align:right}
th{font-weight:600}img{max-width:100%;height:auto}</style>`
