import { useCallback, useState } from 'react'
import type { ConversationSummary, ServerState } from './api.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { FilePanel } from './file-panel.tsx'
import { Header } from './header.tsx'
import type { Attempt } from './item-context.ts'
import type { Shown } from './use-events.ts'

interface ConversationPageProps {
  readonly id: string
  readonly events: Shown
  readonly summary: ConversationSummary | undefined
  readonly state: ServerState
  readonly attempt: Attempt
  readonly show: (id: string) => void
  readonly openList: () => void
}

/** A conversation with its header, its files and the field for the next message. */
export function ConversationPage(props: ConversationPageProps) {
  const { id, events, summary, state, attempt, show, openList } = props
  const [areFilesOpen, setFilesOpen] = useState(false)
  const closeFiles = useCallback(() => setFilesOpen(false), [])
  const place = state.executors.find((each) => each.id === summary?.executor)?.place
  return (
    <>
      <Header
        {...{ summary, state, events, attempt, openList, areFilesOpen }}
        toggleFiles={() => setFilesOpen(!areFilesOpen)}
      />
      <div className="panes">
        <div className="pane">
          <Conversation {...{ id, events, attempt, show, place }} />
          <Composer id={id} view={events.view} summary={summary} attempt={attempt} />
        </div>
        {areFilesOpen && <FilePanel id={id} view={events.view} close={closeFiles} />}
      </div>
    </>
  )
}
