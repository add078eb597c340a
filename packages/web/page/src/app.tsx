import { visible } from '@fenced/errors/text'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api, type ConversationSummary, type ServerState } from './api.ts'
import { IconButton } from './button.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Header } from './header.tsx'
import type { Attempt } from './item-context.ts'
import { Sidebar } from './sidebar.tsx'
import { useEvents } from './use-events.ts'
import { Welcome } from './welcome.tsx'

/** The address of the page names the conversation that it shows. */
function useShownConversation(): [string | undefined, (id: string | undefined) => void] {
  const read = () => new URLSearchParams(location.search).get('c') ?? undefined
  const [id, setId] = useState(read)
  useEffect(() => {
    const onBack = () => setId(read())
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  })
  const show = useCallback((next: string | undefined) => {
    history.pushState(undefined, '', next === undefined ? '/' : `/?c=${next}`)
    setId(next)
  }, [])
  return [id, show]
}

export function App() {
  const [id, show] = useShownConversation()
  const [state, setState] = useState<ServerState>()
  const [failure, setFailure] = useState<string>()
  const [isListOpen, setListOpen] = useState(false)
  const events = useEvents(id)
  const list = useLast(events?.list)
  const attempt: Attempt = useCallback(async (work) => {
    setFailure(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      return false
    }
  }, [])
  useEffect(() => {
    // A file that is dropped beside a form would be opened instead of the page.
    const keep = (event: DragEvent) => event.preventDefault()
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, keep)
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, keep)
    }
  }, [])
  useEffect(() => {
    void attempt(async () => {
      const first = await api.state()
      setState(first)
      setState({ ...first, executors: await api.executors() })
    })
  }, [attempt])
  const summary = list?.find((each) => each.id === id)
  useEffect(() => {
    document.title = summary === undefined ? 'Fenced' : `${summary.title} · Fenced`
  }, [summary])
  useEffect(() => {
    // It was deleted, here or on another page.
    if (id !== undefined && events?.list?.every((each) => each.id !== id)) show(undefined)
  }, [id, events?.list, show])
  const go = (next: string | undefined) => {
    setListOpen(false)
    show(next)
  }
  return (
    <div className="app">
      <Sidebar list={list ?? []} current={id} isOpen={isListOpen} show={go} attempt={attempt} />
      <main className="main">
        <Header
          summary={summary}
          state={state}
          events={events}
          attempt={attempt}
          openList={() => setListOpen(!isListOpen)}
        />
        {events?.isOpen === false && (
          <p className="banner" role="status">
            The server does not answer. The page continues when it does. If it asks for a token, open the
            address that the server has printed.
          </p>
        )}
        {failure !== undefined && (
          <div className="banner failure" role="alert">
            <span>{visible(failure)}</span>
            <IconButton icon="cross" label="Close" onClick={() => setFailure(undefined)} />
          </div>
        )}
        {id === undefined
          ? state !== undefined && <Welcome state={state} attempt={attempt} show={go} />
          : events !== undefined && (
              <>
                <Conversation id={id} events={events} attempt={attempt} show={go} key={id} />
                <Composer id={id} view={events.view} summary={summary} attempt={attempt} />
              </>
            )}
      </main>
    </div>
  )
}

/** What was there last: a list does not flicker while another connection is made. */
function useLast(
  list: readonly ConversationSummary[] | undefined,
): readonly ConversationSummary[] | undefined {
  const last = useRef(list)
  if (list !== undefined) last.current = list
  return last.current
}
