import { formatBytes, visibleName } from '@fenced/errors/text'
import { useState } from 'react'
import { filePath } from './api.ts'
import { FilePreview, hasPreview, isPicture, Picture } from './file-preview.tsx'
import { Icon } from './icon.tsx'
import type { BlockView } from './run-view.ts'

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
          {isPicture(name) && !showsPictures && <Picture id={id} name={name} />}
          <a href={filePath(id, name)} download>
            <Icon name="down" /> {visibleName(name)}
          </a>{' '}
          <span>
            {formatBytes(sizeBytes)}, {change}
          </span>
          {hasPreview(name) && (showsPictures || !isPicture(name)) && <Preview id={id} name={name} />}
        </li>
      ))}
    </ul>
  )
}

/** A preview that loads on demand. */
function Preview({ id, name }: { readonly id: string; readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Preview</summary>
      {isOpen && <FilePreview id={id} name={name} />}
    </details>
  )
}
