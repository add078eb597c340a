import { formatBytes, visibleName } from '@fenced/errors/text'
import { useEffect, useRef, useState } from 'react'
import { api, filePath } from './api.ts'
import { IconButton } from './button.tsx'
import { FilePreview, hasPreview } from './file-preview.tsx'
import { Icon } from './icon.tsx'
import { useLoaded } from './use-loaded.ts'
import { VariablesView } from './variables-view.tsx'
import type { ConversationView } from './view.ts'

interface FilePanelProps {
  /** Of the conversation. */
  readonly id: string
  readonly view: ConversationView
  readonly close: () => void
}

/** The files of the working directory beside the conversation, each with a preview, and the Python variables. */
export function FilePanel({ id, view, close }: FilePanelProps) {
  const [shown, setShown] = useState<string>()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { fileChanges, canUndo } = view
  const { value: files, problem } = useLoaded(() => api.files(id), `${id} ${fileChanges}`)
  return (
    <aside
      className="panel"
      aria-label={canUndo ? 'Files and variables' : 'Files'}
      onKeyDown={({ key, defaultPrevented }) => key === 'Escape' && !defaultPrevented && close()}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          Files
        </h2>
        <IconButton icon="cross" label="Close the files" onClick={close} />
      </header>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {files?.length === 0 && <p className="note">The working directory is empty.</p>}
      {files !== undefined && files.length > 0 && (
        <ul aria-label="All files">
          {files.map(({ path: name, sizeBytes }) => (
            <li key={name}>
              <button
                type="button"
                className="file"
                aria-expanded={shown === name}
                disabled={!hasPreview(name)}
                onClick={() => setShown(shown === name ? undefined : name)}
              >
                <Icon name="file" /> <span>{visibleName(name)}</span> <small>{formatBytes(sizeBytes)}</small>
              </button>
              <a className="icon" href={filePath(id, name)} download aria-label={`Save ${visibleName(name)}`}>
                <Icon name="down" />
              </a>
              {shown === name && (
                <div className="preview">
                  <FilePreview id={id} name={name} key={`${name} ${fileChanges}`} />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {canUndo && <VariablesView id={id} view={view} />}
    </aside>
  )
}
