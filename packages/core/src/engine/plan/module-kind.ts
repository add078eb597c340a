import { compileFunction } from 'node:vm'

/**
 * Returns the label for the kind of module that a program is (`mjs`, `cjs`, `mts`, `cts`), so that no `package.json` decides how it
 * runs. Returns `undefined` for programs in other languages.
 */
export function moduleLabel(code: string, languageId: string): string | undefined {
  if (languageId === 'javascript') return isModule(code) ? 'mjs' : 'cjs'
  if (languageId === 'typescript') return isTypeScriptModule(code) ? 'mts' : 'cts'
  return undefined
}

/** As Node decides without a `package.json`: a program is CommonJS if it can be parsed as CommonJS. */
function isModule(code: string): boolean {
  try {
    // The function is only parsed, never called.
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'])
    return false
  } catch {
    // Each of these can be the reason. Without them, the program is wrong in either form.
    return /\b(?:import|export|await)\b/.test(code)
  }
}

const moduleLine = /^[ \t]*(?:import\b(?!\s*[(.])|export\b)/m
const commonJsName = /\brequire\s*[(.]|\bmodule\.exports\b|\bexports\.|\b__(?:dir|file)name\b/

/** Only Node can remove types. Without them, only a program that uses a name of CommonJS depends on the kind. */
function isTypeScriptModule(code: string): boolean {
  return moduleLine.test(code) || !commonJsName.test(code)
}
