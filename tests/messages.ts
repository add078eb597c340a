// `node tests/messages.ts FILE` compares docs/messages.md with the messages that a run of tests with FENCED_TEST_MESSAGES=FILE
// has collected, and fails if an example resembles none of them. With `--write` it replaces each such example, and adds the
// missing ones. Only the codes of tests/by-hand.ts have examples that no test collects. With `--without-cluster`, no message is
// expected that only a cluster causes.
import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { argv, exit, stderr } from 'node:process'
import { byHand } from './by-hand.ts'
import { type Code, groupsOf } from './codes.ts'

const [file = '', option] = argv.slice(2)
const path = join(import.meta.dirname, '../docs/messages.md')
const page = readFileSync(path, 'utf8')
const examples = new Map(
  [...page.matchAll(/^\| `(.+?)`(?: \\\*)? \| (.*) \| (.*) \|$/gm)].map(([, code = '', , message = '']) => [
    code,
    message,
  ]),
)

/** Of a message, in characters: some have the output of a program. */
const longest = 600

const codes = [...groupsOf('FencedErrorCode'), ...groupsOf('NoticeCode')].flatMap((group) => group.codes)
const known = new Set(codes.map(({ code }) => code))
const collected = new Map<string, string[]>()
for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const { code, message } = JSON.parse(line) as { readonly code: string; readonly message: string }
  if (known.has(code)) collected.set(code, [...(collected.get(code) ?? []), cellOf(message)])
}

const stale = [...collected].filter(([code, messages]) => {
  const example = shapeOf(examples.get(code) ?? '')
  return !messages.some((message) => shapeOf(message) === example)
})
const isExpected = ({ code, from }: Code) =>
  !(code in byHand) && (option !== '--without-cluster' || from !== 'executor-kubernetes')
const unmarked = codes.filter((each) => isExpected(each) && !collected.has(each.code)).map(({ code }) => code)
const marked = Object.keys(byHand).filter((code) => collected.has(code))
if (option === '--write') {
  for (const [code, messages] of stale) examples.set(code, typical(messages))
  writeFileSync(
    path,
    `${page.split('\n## ', 1).join()}\n${chapter('Errors', 'FencedErrorCode')}${chapter('Notices', 'NoticeCode').trimEnd()}\n`,
  )
} else if (stale.length + unmarked.length + marked.length > 0) {
  stderr.write(
    `docs/messages.md differs from what the tests collected.
Old examples: ${stale.map(([code]) => code).join(', ') || 'none'}. Write them again: node tests/messages.ts ${file} --write
Never collected: ${unmarked.join(', ') || 'none'}. Add a test that causes the message, or a row in tests/by-hand.ts.
Collected, but listed in tests/by-hand.ts: ${marked.join(', ') || 'none'}. Remove the rows.
`,
  )
  exit(1)
}

function chapter(title: string, union: 'FencedErrorCode' | 'NoticeCode'): string {
  const tables = groupsOf(union).map((group) => {
    const rows = group.codes.map(
      ({ code, happened }) =>
        `| \`${code}\`${code in byHand ? ' \\*' : ''} | ${happened} | ${examples.get(code) ?? ''} |`,
    )
    return `### ${group.title}\n\n| Code | Situation | Message |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
  })
  return `## ${title}\n\n${tables.join('')}`
}

/** Returns a message on one line, with the names of temporary directories and numbers of a run replaced. */
function cellOf(message: string): string {
  return message
    .replaceAll(/\/tmp\/fenced-[\w-]+/g, '/tmp/work')
    .replaceAll(/\.fenced-[0-9a-f]{12,}/g, '.fenced-1a2b3c')
    .replaceAll(/\b[0-9a-f]{32,}\b/g, '1a2b3c')
    .replaceAll(/\/[^ ]*\/(?=packages\/)/g, '/repository/')
    .replaceAll(homedir(), '~')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8888')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\p{Cc}|\uFFFD/gu, (character) => JSON.stringify(character).slice(1, -1))
    .replaceAll('|', '\\|')
    .replaceAll(/`[^`]*`|<|&/g, (text) => (text === '<' ? '&lt;' : text === '&' ? '&amp;' : text))
    .trim()
    .slice(0, longest)
}

/** What stays the same when a message names other paths, numbers, and quoted values. */
function shapeOf(message: string): string {
  return message.replaceAll(/`[^`]*`|"[^"]*"|\S*[/\d]\S*/g, '…')
}

/** Returns the message that is nearest to the length of a readable example. */
function typical(messages: readonly string[]): string {
  const distance = (message: string) => Math.abs(message.length - 150)
  return messages
    .reduce((best, message) => (distance(message) < distance(best) ? message : best))
    .slice(0, 600)
}
