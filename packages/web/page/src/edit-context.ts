import { createContext, useContext, useState } from 'react'
import type { PendingQuestion } from './run-view.ts'

/** The programs of the open question while the person edits them. They are edited in the place where they are shown. */
export interface Edit {
  readonly runId: string
  readonly codes: readonly string[]
  readonly change: (index: number, code: string) => void
}

export const EditContext = createContext<Edit | undefined>(undefined)

/** The edit of a run, if the person edits it. */
export function useEdit(runId: string | undefined): Edit | undefined {
  const edit = useContext(EditContext)
  return edit?.runId === runId ? edit : undefined
}

/** The edit of the open question, and how to begin and end it. Another question has no edit. */
export function useEditState(question: PendingQuestion | undefined, runId: string | undefined) {
  const [state, setState] = useState<{ question: PendingQuestion; codes: readonly string[] }>()
  const isOpen = state !== undefined && state.question === question && runId !== undefined
  const edit: Edit | undefined = isOpen
    ? {
        runId,
        codes: state.codes,
        change: (index, code) => setState((now) => now && { ...now, codes: now.codes.with(index, code) }),
      }
    : undefined
  const begin = () => {
    if (question?.request.kind !== 'code') return
    setState({ question, codes: question.request.blocks.map(({ code }) => code) })
  }
  return { edit, begin, end: () => setState(undefined) }
}
