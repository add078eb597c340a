import { visibleCode } from '@fenced/errors/text'
import bash from '@speed-highlight/core/languages/bash.js'
import css from '@speed-highlight/core/languages/css.js'
import html from '@speed-highlight/core/languages/html.js'
import javascript from '@speed-highlight/core/languages/js.js'
import json from '@speed-highlight/core/languages/json.js'
import python from '@speed-highlight/core/languages/py.js'
import sql from '@speed-highlight/core/languages/sql.js'
import typescript from '@speed-highlight/core/languages/ts.js'
import yaml from '@speed-highlight/core/languages/yaml.js'
import { type ShjLanguageData, type ShjToken, tokenizeWith } from '@speed-highlight/core/tokenize'
import type { Theme } from '../console/theme.ts'

/** Grammars by the id of their language, and by the names with which they refer to each other. */
const languages = {
  ...{ python, javascript, typescript, sh: bash, bash, json, html, css, sql, yaml },
  ...{ py: python, js: javascript, ts: typescript },
} as Readonly<Record<string, unknown>> as Record<string, ShjLanguageData>

/** Red is left for failures. */
const colors: Readonly<Partial<Record<ShjToken, Parameters<Theme['paint']>[0]>>> = {
  kwd: 'magenta',
  str: 'green',
  esc: 'green',
  num: 'cyan',
  bool: 'cyan',
  cmnt: 'gray',
  func: 'blue',
  class: 'yellow',
  type: 'yellow',
}

/** How long a program may be that is highlighted, in UTF-16 code units: the grammars are made for what people read. */
const maxLength = 20_000

/** The lines of a program as a person must see them to decide about it, in color where its language is known. */
export function highlightedLines(code: string, language: string, { paint }: Theme): string[] {
  const text = visibleCode(code)
  const grammar = Object.hasOwn(languages, language) ? languages[language] : undefined
  if (grammar === undefined || code.length > maxLength) return text.split('\n')
  let shown = ''
  tokenizeWith(
    text,
    grammar,
    (piece, token) => {
      const color = token === undefined ? undefined : colors[token]
      // Each line is printed separately, so each has its own colors.
      shown += piece
        .split('\n')
        .map((line) => (color === undefined || line === '' ? line : paint(color, line)))
        .join('\n')
    },
    { languages },
  )
  return shown.split('\n')
}
