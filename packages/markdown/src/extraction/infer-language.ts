import { HeredocScanner, PythonStringScanner } from './multiline-literals.ts'

/** Enough to know a language by; the rest of a long block, or of a long line, is not looked at. */
const MAX_LINES = 200
const MAX_LINE_LENGTH = 200

/**
 * The language that an unlabeled block gives away: `python`, `sh`, `bash`, or the empty string when in doubt. A block
 * is only ever run in this language, so it takes evidence: lines that only a program of that language has, and no line
 * that such a program cannot have. Prose, data, other languages, program output and terminal sessions have none.
 *
 * As in AutoGen, commands such as `python script.py` and `pip install x` are `sh`; unlike there, a text is not
 * Python because it happens to compile.
 */
export function inferLanguage(code: string): string {
  const lines = firstLines(code)
  const shebang = /^#!(.*)/.exec(lines[0] ?? '')
  if (shebang !== null) return interpreter(shebang[1] ?? '')
  if (looksLikeShell(lines)) return 'sh'
  return looksLikePython(lines) ? 'python' : ''
}

function firstLines(code: string): string[] {
  const lines = code.slice(0, MAX_LINES * MAX_LINE_LENGTH).split('\n', MAX_LINES)
  return lines.map((line) => line.slice(0, MAX_LINE_LENGTH).trimEnd())
}

function interpreter(shebang: string): string {
  if (/\bpython[\d.]*\b/.test(shebang)) return 'python'
  return /[/ ](bash|sh)\b/.exec(shebang)?.[1] ?? ''
}

/** One expression for all of these, none of which has flags: tried together they are several times as fast. */
function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((pattern) => pattern.source).join('|'))
}

/** Lines that hardly anything but Python has. */
const pythonEvidence = anyOf([
  /^import [\w.]+(?: as \w+)?(?:, *[\w.]+(?: as \w+)?)*(?: *#.*)?$/,
  /^from [\w.]+ import (?:[\w, ]+|\*|\(.*)(?: *#.*)?$/,
  /^(?:async )?def \w+\((?:.*\)[^:]*:.*|.*,)?(?: *#.*)?$/,
  /^class (?:\w+\(.*\)|[A-Z_]\w*):(?: *(?:#.*|pass|\.\.\.))?$/,
  /^for \w+(?:, *\w+)* in (?:[\w.]+\(.*\)|\w+|\[.*\]):(?: *#.*)?$/,
  /^with .+ as \w+:$/,
  /^if __name__ *==/,
  /^print\((?:.*\)|[^)]*)(?: *#.*)?$/,
])

/** The possible beginnings of a line at the left margin. Inside strings and brackets, every beginning is possible. */
const pythonStructure = anyOf([
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

/** Text that Python never has at the left margin: other languages, and the output of a Python session or a failure. */
const notPython = anyOf([
  /^(?:>>> |\.\.\. |In \[|Out\[|Traceback \(|\$ )/,
  /^(?:const |let |var |function |func |fn |use |using |package |#include|public |private |\/\/|<)/,
  /^import\b(?: *["'{*]|[^#]* from ["'])/,
  /[;{]$/,
])

/** Whether some line is Python only, and each line at the left margin can be Python. */
function looksLikePython(lines: readonly string[]): boolean {
  const strings = new PythonStringScanner()
  let found = false
  for (const line of lines) {
    const inString = strings.open
    strings.next(line)
    if (inString || line === '' || /^(?:\s|#(?!include))/.test(line)) continue
    if (notPython.test(line) && !/[=([]\s*\{$/.test(line)) return false
    const proof = pythonEvidence.test(line)
    if (!proof && !pythonStructure.test(line)) return false
    found ||= proof
  }
  return found
}

/**
 * Commands of developers and how they are used. Many of their names begin an English sentence or a line of output
 * as well ("make sure", "git is", "find the"), so what follows must look like arguments.
 */
const shellCommands = anyOf([
  /^(?:ls|pwd|whoami)$/,
  /^(?:cd|ls|mkdir|rmdir|chmod|chown) \S+$/,
  /^(?:rm|cp|mv|ln|ls|mkdir|chmod|chown|tar|curl|wget|grep|sed|awk|ssh|scp|rsync|unzip|zip|df|du|ps|wc|xargs) -\w/,
  /^(?:cp|mv) [\w./~*-]+ [\w./~*-]+$/,
  /^(?:rm|touch|cat|head|tail|source|bash|sh|unzip|open|wc|less|diff|sort) [\w./~*-]*[./~*][\w./~*-]*(?: |$)/,
  /^(?:find|grep|curl|wget|ssh|scp|echo|printf|tar|sed|awk|cat|head|tail|sort|kill|touch) \S*[-"'$./=~*<>]/,
  /^export [A-Za-z_]\w*=/,
  /^\.\.?\/[\w./-]+(?: |$)/,
  /^python[\d.]*(?: -\w| \S+\.py\b)/,
  /^(?:pip[\d.]*|conda|mamba|uv|uvx|poetry|pipx|pytest|ruff)(?: \S+)* -[\w-]/,
  /^pip[\d.]* (?:install|uninstall|list|show|freeze|download|wheel|config|check|cache|index)\b/,
  /^(?:conda|mamba|uv|poetry|pipx) (?:install|create|activate|env|init|update|run|add|sync|venv|pip|tool|lock)\b/,
  /^(?:npm|pnpm|yarn|bun) (?:install|i|ci|init|run|add|create|exec|publish|remove|update)(?: |$)/,
  /^(?:npm|pnpm|yarn|bun) (?:(?:test|start|build|dev)(?: -|$)|-)/,
  /^(?:npx|pnpx|bunx|uvx) [@\w]\S*(?: |$)/,
  /^node (?:-|\S+\.[cm]?[jt]s\b)/,
  /^git (?:clone|init|add|commit|push|pull|checkout|status|log|diff|branch|merge|rebase|fetch|stash|tag)(?: |$)/,
  /^git (?:config|remote|switch|restore|reset|show|clean|submodule) \S/,
  /^docker (?:run|build|pull|push|ps|exec|compose|images|stop|rmi?|logs|login|volume|network|system|info)(?: |$)/,
  /^docker-compose (?:up|down|build|run|exec|logs|ps)(?: |$)/,
  /^kubectl (?:apply|get|create|delete|describe|logs|exec|port-forward|config|rollout)(?: |$)/,
  /^(?:apt|apt-get|dnf|yum|brew|apk) (?:install|update|upgrade|remove|search|add|-)/,
  /^cargo (?:build|run|test|new|init|add|install|fmt|clippy|check)(?: |$)/,
  /^go (?:run|build|test|get|install|mod|fmt|vet) \S/,
  /^cmake [.-]/,
  /^make(?: -| (?:all|install|clean|test|tests|build|check|help|lint|run)$)/,
  /^systemctl (?:start|stop|restart|status|enable|disable)\b/,
  /^for \w+ in .+; *do\b/,
  /^(?:if|while) \[\[? .+ \]\]?; *(?:then|do)\b/,
])

const commandPrefix = /^(?:(?:sudo|time|nohup|exec|env) +|[A-Z_][A-Z\d_]*=\S* +)+/

/** Lines that belong to a shell program without being evidence for one. */
const shellStructure = anyOf([
  /^(?:then|else|fi|do|done|esac|;;|[{}()]|exit|wait|true|clear|make)(?:[ ;&)]|$)/,
  /^(?:if|elif|while|until|for|case|function|set|local|return|trap|alias|unset|exec|eval|read|test|\[) ?\S/,
  /^[\w-]+\(\) *\{?$/,
  /^(?:export )?\w+=/,
  / --?\w|\$[\w({]|[|&]{1,2} |[<>] ?\S+$|\\$/,
])

/** Whether some line is a known command, and each line at the left margin can be one. */
function looksLikeShell(lines: readonly string[]): boolean {
  const heredocs = new HeredocScanner()
  let evidence = false
  let continued = false
  for (const line of lines) {
    const outside = !heredocs.open && !continued
    heredocs.next(line)
    continued = line.endsWith('\\')
    if (!outside || line === '' || /^[\s#]/.test(line)) continue
    const command = isShellCommand(line)
    if (!command && !shellStructure.test(line)) return false
    evidence ||= command
  }
  return evidence
}

/** Whether a line is, or contains, a known command and is not a sentence, PowerShell or JavaScript. */
function isShellCommand(text: string): boolean {
  const line = text.replace(/"[^"]*"|'[^']*'/g, '""')
  if (/[a-z][.:?!]$|, |^\$env:|^(?:const|let|var) \w+ = /.test(line)) return false
  return [line, ...line.split(/ *(?:&&|\|\|?|;) */)].some((part) =>
    shellCommands.test(part.replace(commandPrefix, '')),
  )
}
