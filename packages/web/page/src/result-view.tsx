import { shortened, visible } from '@fenced/errors/text'
import { lazy, Suspense } from 'react'

// It brings a parser of HTML, which most conversations do not need.
const HtmlFrame = lazy(async () => ({ default: (await import('./html-frame.tsx')).HtmlFrame }))

/** What a kernel shows: the best of its forms that is safe here. */
export function Result({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    const data = result[type]
    if (typeof data === 'string')
      return <img className="picture" src={`data:${type};base64,${data}`} alt={textOf(result)} />
  }
  const { 'text/html': html, 'image/svg+xml': svg } = result
  if (typeof html === 'string')
    return (
      <Suspense fallback={<p className="note">The result is loading.</p>}>
        <HtmlFrame html={html} title={`What the program shows: ${textOf(result)}`} />
      </Suspense>
    )
  if (typeof svg === 'string') return <img className="picture" src={svgAddress(svg)} alt={textOf(result)} />
  return (
    <pre className="output-text">
      <code>{textOf(result)}</code>
    </pre>
  )
}

/** The address of an SVG as a picture. In a picture, a browser does not run scripts, load anything or follow links. */
function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withNamespace(svg).toWellFormed())}`
}

/** Adds the namespace that a picture needs. An SVG inside HTML can omit it. */
function withNamespace(svg: string): string {
  const start = svg.indexOf('<svg')
  if (start === -1 || /\sxmlns=/.test(svg.slice(start, svg.indexOf('>', start)))) return svg
  const end = start + '<svg'.length
  return `${svg.slice(0, end)} xmlns="http://www.w3.org/2000/svg"${svg.slice(end)}`
}

function textOf(result: Readonly<Record<string, unknown>>): string {
  const text = result['text/plain']
  return typeof text === 'string' ? visible(shortened(text, 100_000)) : 'a result'
}
