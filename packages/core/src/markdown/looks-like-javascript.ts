import { anyOf } from './any-of.ts'

/** Lines that JavaScript has and its neighbours (Go, Rust, Swift, C++) write differently. */
const evidence = anyOf([
  /^(?:export )?const (?:[\w$]+|\{[\w$, :]+\}|\[[\w$, ]+\]) = /,
  /^(?:let|var) [\w$]+ = (?:require\(|await |new |function\b|async\b|\(?[\w$, ]*\)? =>)/,
  /^console\.(?:log|error|warn|info|table|dir)\(/,
  /^(?:export )?(?:default )?(?:async )?function\*? ?[\w$]*\([^:]*\) \{/,
  /^import (?:[\w$*{][\w$*{},\s]*? from )?['"][^'"]+['"];?$/,
  /^(?:module\.)?exports(?:\.\w+)? = /,
])

/** Lines of languages that share some of the above. */
const foreign = anyOf([
  /^(?:#include|package |func |fn |use |using |namespace |public |private |\$ |> |<\?php)/,
  /^(?:const|let|var) [\w$]+ *:/,
  /^import [\w.]+;?$/,
])

/** TypeScript, which is not guessed but must not be run as JavaScript. */
const types = anyOf([
  /: (?:string|number|boolean|any|unknown|void|never)\b/,
  /^(?:export )?(?:interface|type|enum) \w/,
  /import type |\{ type \w/,
])

/** A sentence: words, and none of the characters that programs are full of. */
const prose = /^[a-z][\w']*,?(?: [\w'-]+[,.]?){2,}[.:!?]?$/i

/** Whether some line at the left margin is JavaScript only, and none is of another language or a sentence. */
export function looksLikeJavaScript(lines: readonly string[]): boolean {
  const margin = lines.filter((line) => /^\S/.test(line))
  return (
    margin.some((line) => evidence.test(line)) &&
    !margin.some((line) => foreign.test(line) || prose.test(line)) &&
    !lines.some((line) => types.test(line))
  )
}
