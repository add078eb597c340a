import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { python } from '@codemirror/lang-python'
import { HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightSpecialChars, highlightWhitespace, keymap, lineNumbers } from '@codemirror/view'
import { hiddenCharacters, visibleCode } from '@fenced/errors/text'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

export interface EditorProps {
  readonly code: string
  readonly language: string
  readonly label: string
  /** Whether it takes the focus when it appears. */
  readonly takesFocus: boolean
  readonly onChange: (code: string) => void
}

/** The same colors as in a program that is only shown. */
const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.moduleKeyword, tags.controlKeyword], class: 't-kwd' },
  { tag: [tags.string, tags.special(tags.string)], class: 't-str' },
  { tag: [tags.number, tags.bool, tags.null], class: 't-num' },
  { tag: tags.comment, class: 't-cmnt' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))],
    class: 't-func',
  },
  { tag: [tags.typeName, tags.className], class: 't-class' },
])

const languages: Readonly<Record<string, () => Extension>> = {
  python,
  javascript,
  typescript: () => javascript({ typescript: true }),
  sh: () => StreamLanguage.define(shell),
  bash: () => StreamLanguage.define(shell),
}

/** What a program shows by name, without tabs and the spaces at the end of a line, which the editor marks itself. */
const namedCharacters = new RegExp(`${hiddenCharacters().source}|(?! )\\p{Zs}`, 'gu')

/** As everywhere on the page. */
function named(code: number): HTMLElement {
  const mark = document.createElement('span')
  mark.className = 'cm-specialChar'
  mark.textContent = visibleCode(String.fromCodePoint(code))
  return mark
}

/** Tab indents, so Escape is how the focus leaves the editor: to the question below. */
function leave(): boolean {
  document.querySelector<HTMLElement>('.decision')?.focus()
  return false
}

/** Loaded on demand: the editor is the largest part of the page. */
export default function Editor({ code, language, label, takesFocus, onChange }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const change = useRef(onChange)
  change.current = onChange
  // biome-ignore lint/correctness/useExhaustiveDependencies: it has its text, and keeps it.
  useEffect(() => {
    const view = new EditorView({
      parent: host.current as HTMLElement,
      state: EditorState.create({
        doc: code,
        extensions: [
          lineNumbers(),
          history(),
          // Without it, the editor takes a carriage return for the end of a line, and drops it.
          EditorState.lineSeparator.of('\n'),
          highlightSpecialChars({ addSpecialChars: namedCharacters, render: named }),
          highlightWhitespace(),
          indentUnit.of('    '),
          keymap.of([{ key: 'Escape', run: leave }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          syntaxHighlighting(colors),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) change.current(state.doc.toString())
          }),
          languages[language]?.() ?? [],
        ],
      }),
    })
    if (takesFocus) {
      view.focus()
      view.dom.scrollIntoView({ block: 'nearest' })
    }
    return () => view.destroy()
  }, [])
  return <div className="editor" ref={host} />
}
