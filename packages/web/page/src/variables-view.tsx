import { formatBytes, visible, visibleName } from '@fenced/errors/text'
import { useEffect, useState } from 'react'
import { api, type SessionVariable } from './api.ts'

interface VariablesViewProps {
  /** Of the conversation. */
  readonly id: string
  /** Changes after each program that ended. */
  readonly changes: number
}

/** The Python variables that the next program finds. */
export function VariablesView({ id, changes }: VariablesViewProps) {
  const [variables, setVariables] = useState<readonly SessionVariable[]>([])
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: again after each program that ended, and each undo.
  useEffect(() => {
    api
      .variables(id)
      .then(setVariables, (error) => setProblem(error instanceof Error ? error.message : String(error)))
  }, [id, changes])
  return (
    <section aria-label="Variables">
      <h2>Variables</h2>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {variables.length === 0 && <p className="note">There are no variables.</p>}
      {variables.length > 0 && (
        <ul aria-label="All variables">
          {variables.map(({ name, type, sizeBytes, preview }) => (
            <li key={name}>
              <code>{visibleName(name)}</code> <small>{visibleName(type)}</small>
              {sizeBytes !== undefined && <small> {formatBytes(sizeBytes)}</small>}
              <div>
                <code>{visible(preview)}</code>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
