import { visible } from '@fenced/errors/text'
import { memo, type ReactElement } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeView } from './code-view.tsx'
import { piecesOf } from './reasoning.ts'

/**
 * Text of a model, drawn again only when it changes. Raw HTML is shown as text, and pictures of other servers are not loaded. The
 * model's reasoning is folded.
 */
export const Prose = memo(function Prose({ text }: { readonly text: string }): ReactElement[] {
  return piecesOf(text).map(({ start, prose, isReasoning }) => {
    const shown = (
      <div className="prose" key={start}>
        <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={rehypePlugins} components={components}>
          {prose}
        </Markdown>
      </div>
    )
    if (!isReasoning) return shown
    return (
      <details className="reasoning" key={start}>
        <summary>Reasoning</summary>
        {shown}
      </details>
    )
  })
})

/** The source of the Markdown, with hidden characters as escapes. */
const rehypePlugins = [() => showHidden]

function showHidden(node: Node): void {
  if (node.value !== undefined) node.value = visible(node.value)
  for (const child of node.children ?? []) showHidden(child)
}

interface Node {
  value?: string
  children?: Node[]
}

const components: Components = {
  pre: ({ children }) => children,
  code: ({ className, children, node }) => {
    const text = String(children ?? '')
    const isBlock = node?.position !== undefined && (className !== undefined || text.includes('\n'))
    if (!isBlock) return <code>{children}</code>
    return <CodeView code={text} language={className?.replace('language-', '') ?? ''} />
  },
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener">
      {alt || 'a picture on another server'}
    </a>
  ),
}
