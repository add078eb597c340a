import { type ChangeEvent, useState } from 'react'
import { api, type ServerState } from './api.ts'
import { Button, IconButton } from './button.tsx'
import type { Attempt } from './item-context.ts'
import { type Choice, choiceOf, missingText, StartForm } from './start-form.tsx'
import { isDocument, useDrop } from './use-drop.ts'

interface WelcomeProps {
  readonly state: ServerState
  readonly attempt: Attempt
  readonly show: (id: string) => void
  readonly openList: () => void
}

/** The beginning of a conversation: a task for a model, or a document whose code runs without one. */
export function Welcome({ state, attempt, show, openList }: WelcomeProps) {
  const [choice, setChoice] = useState<Choice>()
  const hasModel = state.models.length > 0
  const start = (what: { text?: string; document?: { name: string; text: string } }, chosen: Choice) =>
    attempt(async () => {
      const { executor, model, packages } = chosen
      if (executor === undefined) throw new Error('There is no executor that can run code.')
      if (executor.problem !== undefined)
        throw new Error(`${missingText(executor)} ${executor.problem.problem}`)
      show((await api.start({ executor: executor.id, model, packages, ...what })).id)
    })
  // The state of the executors arrives later than the choice.
  const current = () =>
    choiceOf(state, {
      ...(choice?.executor === undefined ? {} : { executor: choice.executor.id }),
      ...(choice?.model === undefined ? {} : { model: choice.model }),
      packages: choice?.packages.join(',') ?? '',
    })
  const runDocuments = async (files: readonly File[]) => {
    const file = files.find(isDocument)
    if (file === undefined) return attempt(() => Promise.reject(new Error('A document is .md or .ipynb.')))
    return start({ document: { name: file.name, text: await file.text() } }, current())
  }
  const drop = useDrop(runDocuments)
  return (
    <>
      <header className="header narrow">
        <IconButton icon="menu" label="Conversations" className="menu" onClick={openList} />
        <span>New conversation</span>
      </header>
      <section className={drop.isOver ? 'welcome over' : 'welcome'} {...drop.handlers}>
        <div className="welcome-inner">
          <h1>{hasModel ? 'What should the model work on?' : 'Run the code of a document'}</h1>
          <p className="lead">
            {hasModel
              ? 'It writes code. You see every program before it runs, where it runs, and what it produces.'
              : 'Choose a Markdown file or a notebook. You see every program before it runs, where it runs, and what it produces.'}
          </p>
          <StartForm
            state={state}
            start={(text, chosen) => void start({ text }, chosen)}
            choose={setChoice}
          />
          {hasModel && state.examples.length > 0 && (
            <ul className="examples" aria-label="Examples">
              {state.examples.map((example) => (
                <li key={example}>
                  <Button label={example} onClick={() => start({ text: example }, current())} />
                </li>
              ))}
            </ul>
          )}
          <DocumentChoice isFirst={!hasModel} run={runDocuments} />
          {!hasModel && (
            <p className="hint">
              No model is configured, so the page runs documents only. To work with a model, start{' '}
              <code>fenced web</code> with <code>--model NAME</code>, and with <code>--base-url URL</code> for
              your own model server. In your program, set the <code>models</code> option.
            </p>
          )}
          <Problems state={state} />
        </div>
      </section>
    </>
  )
}

interface DocumentChoiceProps {
  /** Whether it is the only way to begin. */
  readonly isFirst: boolean
  readonly run: (files: readonly File[]) => unknown
}

function DocumentChoice({ isFirst, run }: DocumentChoiceProps) {
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => void run([...(target.files ?? [])])
  if (isFirst)
    return (
      <label className="drop-zone">
        <strong>Choose a document</strong>
        <span>or drop a .md or .ipynb file here</span>
        <input type="file" accept={documents} onChange={choose} />
      </label>
    )
  return (
    <p className="hint">
      Or drop a Markdown file or a notebook here: its code runs without a model.{' '}
      <label className="link">
        Choose one
        <input type="file" accept={documents} onChange={choose} />
      </label>
    </p>
  )
}

const documents = '.md,.markdown,.ipynb'

function Problems({ state }: Pick<WelcomeProps, 'state'>) {
  const missing = state.executors.filter(({ problem }) => problem !== undefined)
  if (missing.length === 0) return undefined
  return (
    <details className="problems">
      <summary>
        {missing.length === 1 ? 'One executor is' : `${missing.length} executors are`} not available
      </summary>
      <dl>
        {missing.map(({ id, name, problem }) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd>
              {problem?.problem} {problem?.repair !== '' && <code>{problem?.repair}</code>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
