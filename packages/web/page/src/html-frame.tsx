import { useMemo } from 'react'
import { safeHtml } from './safe-html.ts'

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
}

/**
 * HTML that a program shows, in a frame. The HTML is untrusted, and can contain anything that the program has read. It is rebuilt
 * from an allowlist, has no rights and no origin in the frame, and cannot load anything.
 */
export function HtmlFrame({ html, title }: HtmlFrameProps) {
  const problem = useMemo(() => htmlProblem(html), [html])
  const content = useMemo(() => (problem === undefined ? `${head}${safeHtml(html)}` : ''), [html, problem])
  if (problem !== undefined) return <p className="note">This HTML is not shown: {problem}.</p>
  return <iframe className="frame" title={title} sandbox="" referrerPolicy="no-referrer" srcDoc={content} />
}

const head = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>
:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}body{margin:8px}
table{border-collapse:collapse}th,td{padding:4px 10px;border-bottom:1px solid #8884;text-align:right}
th{font-weight:600}img{max-width:100%;height:auto}</style>`

/** A browser needs more than twice as long for twice as many nested elements, and the page stands still meanwhile. */
const maxElements = 20_000
const maxStyles = 100
/** In characters, without the data of pictures. */
const maxText = 1_000_000
/** In characters. */
const maxLength = 16_000_000

/** Why HTML is too much to show; `undefined` where it is not. Elements are counted without a parser: it may count too many. */
function htmlProblem(html: string): string | undefined {
  if (html.length > maxLength) return `it has more than ${maxLength.toLocaleString('en')} characters`
  const text = html.replace(/base64,[a-z0-9+/=]*/gi, '')
  if (text.length > maxText)
    return `it has more than ${maxText.toLocaleString('en')} characters besides pictures`
  if (count(text, /<[a-z]/gi) > maxElements)
    return `it has more than ${maxElements.toLocaleString('en')} elements`
  return count(text, /<style/gi) > maxStyles ? `it has more than ${maxStyles} style elements` : undefined
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
