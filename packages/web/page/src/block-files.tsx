import { formatBytes, shortened, visible, visibleName } from '@fenced/errors/text'
import { useState } from 'react'
import { filePath } from './api.ts'
import { Icon } from './icon.tsx'
import type { BlockView } from './run-view.ts'

const texts = /\.(?:csv|json|log|md|py|tsv|txt)$/i
const pictures = /\.(?:png|jpe?g|gif|webp)$/i

interface BlockFilesProps {
  readonly block: BlockView
  /** Of the conversation. */
  readonly id: string
}

/**
 * The files that a program left, with pictures and the beginnings of texts. Where it also showed pictures, those of its files are
 * likely the same ones, and are shown on demand.
 */
export function BlockFiles({ block: { files, results }, id }: BlockFilesProps) {
  if (files.length === 0) return undefined
  const showsPictures = results.some(({ result }) =>
    Object.keys(result).some((type) => type.startsWith('image/')),
  )
  return (
    <ul className="files" aria-label="Files">
      {files.map(({ path: name, sizeBytes, change }) => (
        <li key={name}>
          {pictures.test(name) && !showsPictures && <Picture id={id} name={name} />}
          <a href={filePath(id, name)} download>
            <Icon name="down" /> {visibleName(name)}
          </a>{' '}
          <span>
            {formatBytes(sizeBytes)}, {change}
          </span>
          {pictures.test(name) && showsPictures && (
            <details>
              <summary>Preview</summary>
              <Picture id={id} name={name} />
            </details>
          )}
          {texts.test(name) && <TextPreview url={`${filePath(id, name)}?shown`} />}
        </li>
      ))}
    </ul>
  )
}

function Picture({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <img className="picture" src={`${filePath(id, name)}?shown`} alt={visibleName(name)} loading="lazy" />
  )
}

/** How much of a file is shown, in characters. */
const previewLength = 4_000

/** The beginning of a text, loaded on demand. */
function TextPreview({ url }: { readonly url: string }) {
  const [text, setText] = useState<string>()
  const load = async () => {
    try {
      setText(await firstText(url))
    } catch (error) {
      setText(`It cannot be shown: ${error instanceof Error ? error.message : error}`)
    }
  }
  return (
    <details onToggle={({ currentTarget: { open } }) => open && text === undefined && void load()}>
      <summary>Preview</summary>
      {text !== undefined && (
        <pre className="code" tabIndex={0}>
          {visible(text)}
        </pre>
      )}
    </details>
  )
}

/** Reads no more of it than is shown. */
async function firstText(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok || response.body === null) throw new Error(`the server answered with ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.length <= previewLength) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
  await reader.cancel()
  return shortened(text, previewLength)
}
