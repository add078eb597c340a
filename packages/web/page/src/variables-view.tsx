import { formatBytes, visible, visibleName } from '@fenced/errors/text'
import { api } from './api.ts'
import { useLoaded } from './use-loaded.ts'
import type { ConversationView } from './view.ts'

interface VariablesViewProps {
  /** Of the conversation. */
  readonly id: string
  readonly view: ConversationView
}

/** The Python variables that the next program finds. */
export function VariablesView({ id, view: { fileChanges, run } }: VariablesViewProps) {
  const { value: variables, problem } = useLoaded(() => api.variables(id), `${id} ${fileChanges}`)
  const isRunning = run !== undefined && run.pending.length === 0
  return (
    <section aria-label="Variables">
      <h2>Variables</h2>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {isRunning && <p className="note">A program is running. The list is updated when it ends.</p>}
      {variables?.length === 0 && <p className="note">Python has no variables.</p>}
      {variables !== undefined && variables.length > 0 && (
        <ul className="variables" aria-label="All variables">
          {variables.map(({ name, type, sizeBytes, preview }) => (
            <li key={name}>
              <code className="name">{visibleName(name)}</code>
              <small className="type">{visibleName(type)}</small>
              <small>{sizeBytes === undefined ? '' : formatBytes(sizeBytes)}</small>
              <code className="value">{visible(preview)}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
