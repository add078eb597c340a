/**
 * The language in an info string: its first word, without what other tools put directly behind it
 * (`python,ignore`, `python{1,3}`, `python:src/main.py`, `{python, echo=FALSE}`).
 *
 * CommonMark decodes backslash escapes and entities in an info string. Escapes are decoded here (`c\+\+`),
 * entities are not: no model writes them, and there are two thousand.
 */
export function languageName(info: string): string {
  const name = /^\{?[^ \t,:{}]*/.exec(info)?.[0] ?? ''
  return name.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
