import { useState } from 'react'
import { api, type ServerState } from './api.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'
import type { Attempt } from './item-context.ts'
import { isDocument, useDrop } from './use-drop.ts'

interface WelcomeProps {
  readonly state: ServerState
  readonly attempt: Attempt
  readonly show: (id: string) => void
}

export function Welcome({ state, attempt, show }: WelcomeProps) {
  const [text, setText] = useState('')
  const [executor, setExecutor] = useState<string>()
  const [model, setModel] = useState<string>()
  const [packages, setPackages] = useState('')
  const { executors, models } = state
  // The page never replaces an unavailable executor: a different executor can isolate less.
  const chosen = executors.find(({ id }) => id === executor) ?? executors[0]
  const isMissing = chosen?.problem !== undefined
  const chosenModel = model ?? models[0]?.id
  const start = (what: { text?: string; document?: { name: string; text: string } }) =>
    attempt(async () => {
      if (chosen === undefined) throw new Error('There is no executor that can run code.')
      if (chosen.problem !== undefined) throw new Error(`${missingText(chosen)} ${chosen.problem.problem}`)
      const named = chosen.takesPackages ? packagesIn(packages) : []
      show((await api.start({ executor: chosen.id, model: chosenModel, packages: named, ...what })).id)
    })
  const send = () => {
    if (text.trim() !== '') void start({ text })
  }
  const runDocuments = async (files: readonly File[]) => {
    const file = files.find(isDocument)
    if (file === undefined) return attempt(() => Promise.reject(new Error('A document is .md or .ipynb.')))
    return start({ document: { name: file.name, text: await file.text() } })
  }
  const drop = useDrop(runDocuments)
  return (
    <section className={drop.isOver ? 'welcome over' : 'welcome'} {...drop.handlers}>
      <div className="welcome-inner">
        <h2>What should the model work on?</h2>
        <p className="lead">
          It writes code. You see every program before it runs, where it runs, and what it produces.
        </p>
        <Form className="first" send={send}>
          <textarea
            aria-label="Task"
            placeholder="Describe a task"
            rows={3}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <div className="choices">
            {models.length > 0 && (
              <label>
                Model
                <select value={chosenModel} onChange={({ target }) => setModel(target.value)}>
                  {models.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <label>
              Runs in
              <select value={chosen?.id ?? ''} onChange={({ target }) => setExecutor(target.value)}>
                {executors.map(({ id, name, problem }) => (
                  <option key={id} value={id} disabled={problem !== undefined}>
                    {name}
                    {problem === undefined ? '' : ' (not available)'}
                  </option>
                ))}
              </select>
            </label>
            {chosen?.takesPackages === true && (
              <label>
                Packages
                <input
                  value={packages}
                  placeholder="none"
                  title="Python packages as pip takes them, with commas between them: numpy, rich==14.0.0"
                  spellCheck={false}
                  onChange={({ target }) => setPackages(target.value)}
                />
              </label>
            )}
            <Button
              icon="send"
              label="Start"
              type="submit"
              disabled={text.trim() === '' || models.length === 0 || isMissing}
            />
          </div>
          {chosen?.description !== undefined && <p className="hint">{chosen.description}</p>}
          {isMissing && <p role="alert">{missingText(chosen)}</p>}
        </Form>
        {state.examples.length > 0 && (
          <ul className="examples" aria-label="Examples">
            {state.examples.map((example) => (
              <li key={example}>
                <Button label={example} onClick={() => start({ text: example })} />
              </li>
            ))}
          </ul>
        )}
        <p className="hint">
          Or drop a Markdown file or a notebook here: its code is run without a model.{' '}
          <label className="link">
            Choose one
            <input
              type="file"
              accept=".md,.markdown,.ipynb"
              onChange={({ target }) => void runDocuments([...(target.files ?? [])])}
            />
          </label>
        </p>
        <Problems state={state} />
      </div>
    </section>
  )
}

function missingText({ name }: ServerState['executors'][number]): string {
  return `${name} is not available. Repair it to run code there.`
}

/** `numpy, rich[jupyter]>=13,<15` are two: a comma before an operator belongs to a package. */
function packagesIn(text: string): string[] {
  return text
    .split(/,(?!\s*[<>=!~])|\n/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

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
