import { visible } from '@fenced/errors/text'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { api, type ConversationSummary, type ServerState } from './api.ts'
import { IconButton } from './button.tsx'
import { Help, useHelpKey } from './help.tsx'
import type { Attempt } from './item-context.ts'
import { Sidebar } from './sidebar.tsx'
import { TokenForm } from './token-form.tsx'
import { useEvents } from './use-events.ts'
import { useNotifications } from './use-notifications.ts'
import { Welcome } from './welcome.tsx'

const loadConversation = () => import('./conversation-page.tsx')

// Half of the page's code: a first visit does not need it.
const ConversationPage = lazy(async () => ({ default: (await loadConversation()).ConversationPage }))

// An address with a conversation needs that code at once.
if (location.search.includes('c=')) void loadConversation()

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

export function App({ first }: { readonly first: ServerState }) {
  const [id, show] = useShownConversation()
  const [state, setState] = useState(first)
  const [failure, attempt] = useAttempt()
  const [isListOpen, setListOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useHelpKey()
  const events = useEvents(id)
  const list = useLast(events?.list)
  useStrayDrops()
  useEffect(() => {
    // After the first paint: the next step is a conversation.
    const timer = setTimeout(() => void loadConversation(), 300)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    void attempt(async () => {
      const executors = await api.executors()
      setState((before) => ({ ...before, executors }))
    })
  }, [attempt])
  const summary = list?.find((each) => each.id === id)
  const waiting = list?.filter(({ questions }) => questions > 0).length ?? 0
  useEffect(() => {
    const title = summary === undefined ? 'Fenced' : `${summary.title} · Fenced`
    document.title = waiting === 0 ? title : `(${waiting}) ${title}`
  }, [summary, waiting])
  useEffect(() => {
    // It was deleted, here or on another page.
    if (id !== undefined && events?.list?.every((each) => each.id !== id)) show(undefined)
  }, [id, events?.list, show])
  const go = useCallback(
    (next: string | undefined) => {
      setListOpen(false)
      show(next)
    },
    [show],
  )
  const notifications = useNotifications({ list, show: go })
  const openList = () => setListOpen(!isListOpen)
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip the list of conversations
      </a>
      <Sidebar
        list={list ?? []}
        current={id}
        isOpen={isListOpen}
        show={go}
        attempt={attempt}
        notifications={notifications}
        openHelp={() => setHelpOpen(true)}
      />
      <main className="main" id="main" tabIndex={-1}>
        {events?.isOpen === false && <Unreachable />}
        {failure.message !== undefined && (
          <div className="banner failure" role="alert">
            <span>{visible(failure.message)}</span>
            <IconButton icon="cross" label="Close" onClick={failure.clear} />
          </div>
        )}
        {id === undefined ? (
          <Welcome state={state} attempt={attempt} show={go} openList={openList} />
        ) : (
          events !== undefined && (
            <Suspense>
              <ConversationPage {...{ id, events, summary, state, attempt, openList }} show={go} key={id} />
            </Suspense>
          )
        )}
      </main>
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
    </div>
  )
}

function Unreachable() {
  return (
    <div className="banner" role="status">
      <p>The server does not answer. The page continues when the server is back.</p>
      <details>
        <summary>The server has a new token</summary>
        <TokenForm entered={() => location.reload()} />
      </details>
    </div>
  )
}

/** Runs work and keeps its error for the banner. */
function useAttempt() {
  const [message, setMessage] = useState<string>()
  const attempt: Attempt = useCallback(async (work) => {
    setMessage(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error))
      return false
    }
  }, [])
  return [{ message, clear: () => setMessage(undefined) }, attempt] as const
}

/** A file that is dropped beside a form would be opened instead of the page. */
function useStrayDrops(): void {
  useEffect(() => {
    const keep = (event: DragEvent) => event.preventDefault()
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, keep)
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, keep)
    }
  }, [])
}

/** What was there last: a list does not flicker while another connection is made. */
function useLast(
  list: readonly ConversationSummary[] | undefined,
): readonly ConversationSummary[] | undefined {
  const last = useRef(list)
  if (list !== undefined) last.current = list
  return last.current
}
