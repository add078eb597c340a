import { formatBytes, visible, visibleName } from '@fenced/errors/text'
import { useEffect, useState } from 'react'
import { api, type ConversationSummary, type FileEntry, filePath, path, type ServerState } from './api.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import type { Attempt } from './item-context.ts'
import type { Shown } from './use-events.ts'

interface HeaderProps {
  readonly summary: ConversationSummary | undefined
  readonly state: ServerState | undefined
  readonly events: Shown | undefined
  readonly attempt: Attempt
  readonly openList: () => void
}

export function Header({ summary, state, events, attempt, openList }: HeaderProps) {
  const executor = state?.executors.find(({ id }) => id === summary?.executor)
  const model = state?.models.find(({ id }) => id === summary?.model)
  return (
    <header className="header">
      <IconButton icon="menu" label="Conversations" className="menu" onClick={openList} />
      <h1>{visible(summary?.title ?? 'New conversation')}</h1>
      {summary !== undefined && (
        <div className="facts">
          <span className="chip">{model?.name ?? 'no model'}</span>
          <span className="chip" title={executor?.description}>
            {executor?.name ?? summary.executor}
          </span>
          {summary.packages.length > 0 && (
            <span className="chip">with {visibleName(summary.packages.join(', '))}</span>
          )}
          <Files id={summary.id} attempt={attempt} key={summary.id} />
          <Export id={summary.id} file="export.md" name="Markdown" />
          <Export id={summary.id} file="export.ipynb" name="Notebook" />
        </div>
      )}
      {summary !== undefined && events !== undefined && (
        <Remembered id={summary.id} events={events} attempt={attempt} />
      )}
    </header>
  )
}

function Export({ id, file, name }: { readonly id: string; readonly file: string; readonly name: string }) {
  return (
    <a href={`${path(id)}/${file}`} title={`Save the conversation: ${name}`} download>
      <Icon name="down" /> {name}
    </a>
  )
}

/** All files of the working directory, to be saved. */
function Files({ id, attempt }: { readonly id: string; readonly attempt: Attempt }) {
  const [isOpen, setOpen] = useState(false)
  const [files, setFiles] = useState<readonly FileEntry[]>()
  useEffect(() => {
    if (isOpen) void attempt(async () => setFiles(await api.files(id)))
  }, [isOpen, id, attempt])
  return (
    <details className="all-files" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <Icon name="folder" /> Files
      </summary>
      {files !== undefined && (
        <ul aria-label="All files">
          {files.length === 0 && <li>No files.</li>}
          {files.map(({ path: name, sizeBytes }) => (
            <li key={name}>
              <a href={filePath(id, name)} download>
                {visibleName(name)}
              </a>{' '}
              {formatBytes(sizeBytes)}
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

/** The answers that apply to later questions, and how to take them back. */
function Remembered({
  id,
  events: { view },
  attempt,
}: Pick<HeaderProps, 'attempt'> & { readonly id: string; readonly events: Shown }) {
  if (view.remembered.length + view.rememberedConnections.length === 0) return undefined
  const takeBack = (approval: string) => (
    <Button label="Take back" onClick={() => attempt(() => api.forget(id, approval))} />
  )
  return (
    <ul className="remembered" aria-label="Answers that apply">
      {view.remembered.map(({ id: approval, decision, blocks, target }) => (
        <li key={approval}>
          <span>
            {decision === 'allow' ? 'Runs without asking: ' : 'Denied without asking: '}
            {blocks === undefined ? 'all code' : 'one exact program'}, {target.description}
          </span>
          {takeBack(approval)}
        </li>
      ))}
      {view.rememberedConnections.map(({ id: approval, host, port, target }) => (
        <li key={approval}>
          <span>
            Connects without asking: {visibleName(host)}, port {port}, {target.description}
          </span>
          {takeBack(approval)}
        </li>
      ))}
    </ul>
  )
}
