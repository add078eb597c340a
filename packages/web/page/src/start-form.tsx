import { useState } from 'react'
import type { ExecutorState, ServerState } from './api.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'
import { PlaceLine } from './place-line.tsx'

/** What a person chooses for a conversation. */
export interface Choice {
  readonly executor: ExecutorState | undefined
  readonly model: string | undefined
  readonly packages: readonly string[]
}

interface StartFormProps {
  readonly state: ServerState
  /** Starts with a task. */
  readonly start: (text: string, choice: Choice) => void
  /** Reports each choice, for documents and examples. */
  readonly choose: (choice: Choice) => void
}

/** The task, and where its programs run. Without a model, only the place. */
export function StartForm({ state: { executors, models }, start, choose }: StartFormProps) {
  const [text, setText] = useState('')
  const [given, setGiven] = useState<{ executor?: string; model?: string; packages?: string }>({})
  const choice = choiceOf({ executors, models }, given)
  const { executor } = choice
  const change = (next: typeof given) => {
    const all = { ...given, ...next }
    setGiven(all)
    choose(choiceOf({ executors, models }, all))
  }
  const hasModel = models.length > 0
  return (
    <Form className="first" send={() => text.trim() !== '' && start(text, choice)}>
      {hasModel && (
        <textarea
          aria-label="Task"
          placeholder="Describe a task"
          rows={3}
          // biome-ignore lint/a11y/noAutofocus: the page has one purpose here.
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <div className="choices">
        {models.length > 0 && (
          <Select
            label="Model"
            value={choice.model ?? ''}
            options={models.map(({ id, name }) => ({ id, name }))}
            choose={(model) => change({ model })}
          />
        )}
        <Select
          label="Runs in"
          value={executor?.id ?? ''}
          options={executors.map(({ id, name, problem, place }) => ({
            id,
            name: `${name}${isUnsaid(name, place) ? ' (not isolated)' : ''}${problem === undefined ? '' : ' (not available)'}`,
            isMissing: problem !== undefined,
          }))}
          choose={(id) => change({ executor: id })}
        />
        {executor?.takesPackages === true && (
          <label className="packages">
            Packages
            <input
              type="text"
              value={given.packages ?? ''}
              placeholder="numpy, rich==14.0.0"
              title="Python packages as pip takes them, with commas between them"
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => change({ packages: target.value })}
            />
          </label>
        )}
        {hasModel && (
          <Button
            icon="send"
            label="Start"
            type="submit"
            disabled={text.trim() === '' || executor?.problem !== undefined}
          />
        )}
      </div>
      {executor !== undefined && <PlaceLine executor={executor} />}
      {executor?.problem !== undefined && <p role="alert">{missingText(executor)}</p>}
    </Form>
  )
}

/** Whether the name of a place does not say that nothing isolates its programs. */
function isUnsaid(name: string, place: ExecutorState['place']): boolean {
  return place?.isolation === 'none' && !/not isolated|no isolation/i.test(name)
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly id: string; readonly name: string; readonly isMissing?: boolean }[]
  readonly choose: (id: string) => void
}

function Select({ label, value, options, choose }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => choose(target.value)}>
        {options.map(({ id, name, isMissing }) => (
          <option key={id} value={id} disabled={isMissing}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The page never replaces an unavailable executor: a different executor can isolate less. */
export function choiceOf(
  { executors, models }: Pick<ServerState, 'executors' | 'models'>,
  given: { readonly executor?: string; readonly model?: string; readonly packages?: string },
): Choice {
  const executor = executors.find(({ id }) => id === given.executor) ?? executors[0]
  const packages = executor?.takesPackages === true ? packagesIn(given.packages ?? '') : []
  return { executor, model: given.model ?? models[0]?.id, packages }
}

export function missingText({ name }: ExecutorState): string {
  return `${name} is not available. Repair it to run code there.`
}

/** `numpy, rich[jupyter]>=13,<15` are two: a comma before an operator belongs to a package. */
function packagesIn(text: string): string[] {
  return text
    .split(/,(?!\s*[<>=!~])|\n/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
