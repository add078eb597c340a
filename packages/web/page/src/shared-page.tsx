import { visible, visibleName } from '@fenced/errors/text'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { filePath } from './api.ts'
import { CodeView } from './code-view.tsx'
import { HtmlFrame } from './html-frame.tsx'
import { Prose } from './prose.tsx'
import { Result } from './result-view.tsx'
import type { SharedConversation, SharedItem, SharedProgram } from './shared-conversation.ts'

interface SharedPageOptions {
  /** Of the conversation. */
  readonly id: string
  readonly shared: SharedConversation
}

/** A conversation as one HTML file without scripts. It loads nothing. */
export async function sharedPage({ id, shared }: SharedPageOptions): Promise<string> {
  const { title, items } = shared
  const [styles, pictures] = await Promise.all([styleSheet(), picturesIn(id, shared)])
  const box = document.createElement('div')
  const root = createRoot(box)
  flushSync(() => root.render(<SharedView title={title} items={items} pictures={pictures} />))
  const body = box.innerHTML
  root.unmount()
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${styles}</style></head>
<body class="shared">${body}</body></html>
`
}

interface SharedViewProps {
  readonly title: string
  readonly items: readonly SharedItem[]
  readonly pictures: ReadonlyMap<string, string>
}

function SharedView({ title, items, pictures }: SharedViewProps) {
  return (
    <main className="items">
      <h1>{visible(title)}</h1>
      {items.map((item, index) => {
        if (item.type === 'program') return <ProgramCard key={index} program={item} pictures={pictures} />
        if (item.type === 'answer') return <Prose key={index} text={item.text} />
        if (item.type === 'note')
          return (
            <p key={index} className="note">
              {visible(item.text)}
            </p>
          )
        return (
          <article key={index} className="person">
            <p>{visible(item.text)}</p>
          </article>
        )
      })}
    </main>
  )
}

function ProgramCard({
  program,
  pictures,
}: {
  readonly program: SharedProgram
  readonly pictures: ReadonlyMap<string, string>
}) {
  const { language, code, state, errorLine, output, results, files, notes } = program
  return (
    <section className="card" data-state={state.kind}>
      <header>
        <span className="language">{visibleName(language)}</span>
        <span className="state">
          <span className="mark" aria-hidden="true" />
          {state.words}
        </span>
      </header>
      <CodeView code={code} language={language} errorLine={errorLine} />
      {output !== '' && <pre className="output-text">{visible(output)}</pre>}
      {results.map((result, index) =>
        typeof result['text/html'] === 'string' ? (
          <HtmlFrame key={index} html={result['text/html']} title="What the program shows" />
        ) : (
          <Result key={index} result={result} />
        ),
      )}
      {files.map((name) =>
        pictures.has(name) ? (
          <img key={name} className="picture" src={pictures.get(name)} alt={visibleName(name)} />
        ) : (
          <p key={name} className="usage">
            File: {visibleName(name)}
          </p>
        ),
      )}
      {notes.map((note, index) => (
        <p key={index} className="usage">
          {visible(note)}
        </p>
      ))}
    </section>
  )
}

/** Larger pictures of files are left out, in bytes. */
const maxPicture = 5_000_000

/** The pictures among the files, as data. A file that cannot be read is named only. */
async function picturesIn(id: string, { items }: SharedConversation): Promise<Map<string, string>> {
  const names = items.flatMap((item) => (item.type === 'program' ? item.files : []))
  const pictures = new Map<string, string>()
  for (const name of new Set(names.filter((each) => /\.(?:png|jpe?g|gif|webp)$/i.test(each)))) {
    const response = await fetch(`${filePath(id, name)}?shown`)
    const blob = response.ok ? await response.blob() : undefined
    if (blob !== undefined && blob.size <= maxPicture) pictures.set(name, await dataUrl(blob))
  }
  return pictures
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

/** The styles of this page. */
async function styleSheet(): Promise<string> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
  const texts = await Promise.all(links.map(async ({ href }) => (await fetch(href)).text()))
  return texts.join('\n').replaceAll('</', '<\\/')
}

function escaped(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
