import { useMemo } from 'react'
import { htmlProblem } from './html-limits.ts'
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
