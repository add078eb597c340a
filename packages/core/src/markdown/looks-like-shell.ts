import { anyOf } from './any-of.ts'
import { HeredocScanner } from './heredoc-scanner.ts'

/**
 * Commands of developers and how they are used. Many of their names begin an English sentence or a line of output
 * as well ("make sure", "git is", "find the"), so what follows must look like arguments.
 */
const commands = anyOf([
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

/** What stands in front of a command. */
const prefix = /^(?:(?:sudo|time|nohup|exec|env) +|[A-Z_][A-Z\d_]*=\S* +)+/

/** Lines that belong to a shell program without being evidence for one. */
const structure = anyOf([
  /^(?:then|else|fi|do|done|esac|;;|[{}()]|exit|wait|true|clear|make)(?:[ ;&)]|$)/,
  /^(?:if|elif|while|until|for|case|function|set|local|return|trap|alias|unset|exec|eval|read|test|\[) ?\S/,
  /^[\w-]+\(\) *\{?$/,
  /^(?:export )?\w+=/,
  / --?\w|\$[\w({]|[|&]{1,2} |[<>] ?\S+$|\\$/,
])

/** Whether some line is a known command, and each line at the left margin can be one. */
export function looksLikeShell(lines: readonly string[]): boolean {
  const heredocs = new HeredocScanner()
  let evidence = false
  let continued = false
  for (const line of lines) {
    const outside = !heredocs.open && !continued
    heredocs.next(line)
    continued = line.endsWith('\\')
    if (!outside || line === '' || /^[\s#]/.test(line)) continue
    const command = isCommand(line)
    if (!command && !structure.test(line)) return false
    evidence ||= command
  }
  return evidence
}

/** Whether a line is, or contains, a known command and is neither a sentence nor PowerShell. */
function isCommand(text: string): boolean {
  const line = text.replace(/"[^"]*"|'[^']*'/g, '""')
  if (/[a-z][.:?!]$|, |^\$env:/.test(line)) return false
  return [line, ...line.split(/ *(?:&&|\|\|?|;) */)].some((part) => commands.test(part.replace(prefix, '')))
}
