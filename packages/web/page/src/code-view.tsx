import { visibleCode } from '@fenced/errors/text'
import bash from '@speed-highlight/core/languages/bash.js'
import css from '@speed-highlight/core/languages/css.js'
import html from '@speed-highlight/core/languages/html.js'
import javascript from '@speed-highlight/core/languages/js.js'
import json from '@speed-highlight/core/languages/json.js'
import python from '@speed-highlight/core/languages/py.js'
import typescript from '@speed-highlight/core/languages/ts.js'
import { type ShjLanguageData, tokenizeWith } from '@speed-highlight/core/tokenize'
import { memo, type ReactElement } from 'react'

/** Their declarations are wider than the type that they are for. */
const grammars = {
  python,
  py: python,
  javascript,
  js: javascript,
  typescript,
  ts: typescript,
  sh: bash,
  bash,
  json,
  html,
  css,
} as Readonly<Record<string, unknown>> as Record<string, ShjLanguageData>

/** Longer programs are shown without colors: the grammars are made for what people read. */
const maxLength = 50_000

/** A program with its colors. What is hidden, and what looks alike, is named. */
export const CodeView = memo(function CodeView({
  code,
  language,
  errorLine,
}: {
  readonly code: string
  readonly language: string
  /** The line in which an error was raised, from 1. */
  readonly errorLine?: number | undefined
}): ReactElement {
  const text = visibleCode(code.replace(/\n$/, ''))
  return (
    <pre className="code" tabIndex={0}>
      <code>{pieces(text, language)}</code>
      {errorLine !== undefined && (
        <span className="error-line" style={{ top: `calc(var(--code-padding) + ${errorLine - 1}lh)` }} />
      )}
    </pre>
  )
})

function pieces(text: string, language: string): readonly (string | ReactElement)[] {
  const grammar = Object.hasOwn(grammars, language) ? grammars[language] : undefined
  if (grammar === undefined || text.length > maxLength) return [text]
  const made: (string | ReactElement)[] = []
  tokenizeWith(
    text,
    grammar,
    (piece, token) => {
      if (token === undefined) made.push(piece)
      else
        made.push(
          <span key={made.length} className={`t-${token}`}>
            {piece}
          </span>,
        )
    },
    { languages: grammars },
  )
  return made
}
