import { anyOf } from './any-of.ts'
import { PythonStringScanner } from './python-string-scanner.ts'

/** Lines that hardly anything but Python has. */
const evidence = anyOf([
  /^import [\w.]+(?: as \w+)?(?:, *[\w.]+(?: as \w+)?)*(?: *#.*)?$/,
  /^from [\w.]+ import (?:[\w, ]+|\*|\(.*)(?: *#.*)?$/,
  /^(?:async )?def \w+\((?:.*\)[^:]*:.*|.*,)?(?: *#.*)?$/,
  /^class (?:\w+\(.*\)|[A-Z_]\w*):(?: *(?:#.*|pass|\.\.\.))?$/,
  /^for \w+(?:, *\w+)* in (?:[\w.]+\(.*\)|\w+|\[.*\]):(?: *#.*)?$/,
  /^with .+ as \w+:$/,
  /^if __name__ *==/,
  /^print\((?:.*\)|[^)]*)(?: *#.*)?$/,
])

/** What a line at the left margin can begin with; inside strings and brackets anything goes. */
const structure = anyOf([
  /^(?:if|elif|while|for|with|async|except|match|class|def)\b.*(?::(?: *(?:#|\w).*)?|[([{,\\])$/,
  /^(?:else|try|finally|except) *:/,
  /^(?:pass|break|continue)$/,
  /^(?:return|raise|assert|del|global|nonlocal|yield|await|import|from) ?\S/,
  /^@\w[\w.]*(?:\(|$)/,
  /^[)\]}]/,
  /^[!%]{1,2}\w/,
  /^[([*]?[\w.,*[\]'" ()]+?(?: *: *[\w.[\], |'"]+)? *(?:[-+*/|&^%@]|\/\/|\*\*|<<|>>)?= *\S/,
  /^[A-Za-z_][\w.]*[([]/,
  /^[A-Za-z_]\w*(?:\.\w+)*$/,
  /^[rbfuRBFU]{0,2}["']/,
])

/** What Python never has at the left margin: other languages, and what a Python session or a failure prints. */
const foreign = anyOf([
  /^(?:>>> |\.\.\. |In \[|Out\[|Traceback \(|\$ )/,
  /^(?:const |let |var |function |func |fn |use |using |package |#include|public |private |\/\/|<)/,
  /[;{]$/,
])

/** Whether some line is Python only, and each line at the left margin can be Python. */
export function looksLikePython(lines: readonly string[]): boolean {
  const strings = new PythonStringScanner()
  let found = false
  for (const line of lines) {
    const inString = strings.open
    strings.next(line)
    if (inString || line === '' || /^(?:\s|#(?!include))/.test(line)) continue
    if (foreign.test(line) && !/[=([]\s*\{$/.test(line)) return false
    const proof = evidence.test(line)
    if (!proof && !structure.test(line)) return false
    found ||= proof
  }
  return found
}
