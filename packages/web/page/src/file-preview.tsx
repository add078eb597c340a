import { visible, visibleName } from '@fenced/errors/text'
import { lazy, Suspense } from 'react'
import { filePath } from './api.ts'
import { CodeView } from './code-view.tsx'
import { readTable } from './csv.ts'
import { firstText } from './file-text.ts'
import { useLoaded } from './use-loaded.ts'

const HtmlFrame = lazy(async () => ({ default: (await import('./html-frame.tsx')).HtmlFrame }))

interface FileProps {
  /** Of the conversation. */
  readonly id: string
  readonly name: string
}

const pictures = /\.(?:png|jpe?g|gif|webp)$/i
const texts = /\.(?:csv|tsv|html?|json|jsonl|log|md|py|r|sh|js|ts|sql|txt|xml|ya?ml|toml|ini|cfg)$/i
const languages: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'javascript',
  ts: 'typescript',
  sh: 'sh',
  json: 'json',
}

/** How much of a file is read, in characters. */
const maxText = 20_000
const maxHtml = 1_000_000

export function isPicture(name: string): boolean {
  return pictures.test(name)
}

/** Whether the page can show a file. */
export function hasPreview(name: string): boolean {
  return pictures.test(name) || texts.test(name)
}

/** A file: a picture, a table, HTML in its frame, or the beginning of a text. */
export function FilePreview({ id, name }: FileProps) {
  if (isPicture(name)) return <Picture id={id} name={name} />
  if (!texts.test(name)) return <p className="note">There is no preview of this kind of file.</p>
  return <TextPreview id={id} name={name} />
}

export function Picture({ id, name }: FileProps) {
  return (
    <img className="picture" src={`${filePath(id, name)}?shown`} alt={visibleName(name)} loading="lazy" />
  )
}

function TextPreview({ id, name }: FileProps) {
  const kind = name.split('.').at(-1)?.toLowerCase() ?? ''
  const isHtml = kind === 'html' || kind === 'htm'
  const limit = isHtml ? maxHtml : maxText
  const { value: content, problem } = useLoaded(() => firstText({ id, name }, limit), `${id} ${name}`)
  if (problem !== undefined) return <p className="note">It cannot be shown. {problem}</p>
  if (content === undefined) return <p className="note">Loading</p>
  const { text, isCut } = content
  if (isHtml)
    return (
      <Suspense fallback={<p className="note">Loading</p>}>
        <HtmlFrame html={text} title={`Preview of ${visibleName(name)}`} />
      </Suspense>
    )
  return (
    <>
      {kind === 'csv' || kind === 'tsv' ? (
        <TableView text={text} name={name} />
      ) : (
        <CodeView code={text} language={languages[kind] ?? ''} />
      )}
      {isCut && <p className="note">Only the first {maxText.toLocaleString('en')} characters are shown.</p>}
    </>
  )
}

function TableView({ text, name }: { readonly text: string; readonly name: string }) {
  const { rows, isCut } = readTable(text)
  const [head = [], ...body] = rows
  return (
    <>
      <section className="table" aria-label={`Table ${visibleName(name)}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index} scope="col">
                  {visible(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column} className={isNumber(cell) ? 'number' : ''}>
                    {visible(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isCut && <p className="note">Only the first {rows.length} rows and 50 columns are shown.</p>}
    </>
  )
}

function isNumber(cell: string): boolean {
  return cell.trim() !== '' && Number.isFinite(Number(cell))
}
