import { visible, visibleName } from '@fenced/errors/text'
import { lazy, Suspense, useState } from 'react'
import { api, type ConversationSummary, path, type ServerState } from './api.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import type { Attempt } from './item-context.ts'
import type { Shown } from './use-events.ts'

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }))

interface HeaderProps {
  readonly summary: ConversationSummary | undefined
  readonly state: ServerState
  readonly events: Shown
  readonly attempt: Attempt
  readonly openList: () => void
  readonly areFilesOpen: boolean
  readonly toggleFiles: () => void
}

export function Header(props: HeaderProps) {
  const { summary, state, events, attempt, openList, areFilesOpen, toggleFiles } = props
  const executor = state.executors.find(({ id }) => id === summary?.executor)
  const model = state.models.find(({ id }) => id === summary?.model)
  return (
    <header className="header">
      <IconButton icon="menu" label="Conversations" className="menu" onClick={openList} />
      <h1 title={summary?.title}>{visible(summary?.title ?? '')}</h1>
      {summary !== undefined && (
        <div className="facts">
          <span className="chip">{model?.name ?? 'no model'}</span>
          <span className="chip" title={executor?.description} data-isolation={executor?.place?.isolation}>
            {executor?.name ?? summary.executor}
          </span>
          {summary.packages.length > 0 && (
            <span className="chip">with {visibleName(summary.packages.join(', '))}</span>
          )}
        </div>
      )}
      {summary !== undefined && (
        <div className="tools">
          <Button
            icon="folder"
            label={events.view.canUndo ? 'Files and variables' : 'Files'}
            className="quiet"
            aria-expanded={areFilesOpen}
            onClick={toggleFiles}
          />
          <SaveMenu summary={summary} events={events} />
        </div>
      )}
      {summary !== undefined && <Remembered id={summary.id} events={events} attempt={attempt} />}
    </header>
  )
}

interface SaveMenuProps {
  readonly summary: ConversationSummary
  readonly events: Shown
}

/** The forms in which a conversation can be saved. The browser closes the menu on Escape and on a click elsewhere. */
function SaveMenu({ summary: { id, title }, events: { view } }: SaveMenuProps) {
  const [isSharing, setSharing] = useState(false)
  return (
    <>
      <button type="button" className="quiet" popoverTarget="save-menu">
        <Icon name="down" /> Save
      </button>
      <div className="save-menu" id="save-menu" popover="auto">
        <a href={`${path(id)}/export.md`} download>
          <strong>Markdown</strong> texts, programs and output
        </a>
        <a href={`${path(id)}/export.ipynb`} download>
          <strong>Notebook</strong> a cell for each program
        </a>
        <button
          type="button"
          popoverTarget="save-menu"
          popoverTargetAction="hide"
          onClick={() => setSharing(true)}
        >
          <strong>Share as a file …</strong> one HTML page that works offline
        </button>
      </div>
      {isSharing && (
        <Suspense>
          <ShareDialog id={id} title={title} view={view} close={() => setSharing(false)} />
        </Suspense>
      )}
    </>
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
