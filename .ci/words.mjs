// Counts phrases that a native reader stumbles over, in Markdown, in comments and in string literals.
//   node .ci/words.mjs [PATH ...]   hits per 1,000 words for each area; without a PATH, fails above the limits
//   node .ci/words.mjs --lines      the place of each hit, and the words to use instead
// `words.json` has the phrases and the limits. A hit shows where to look: rewrite the whole sentence.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const { limits, phrases } = JSON.parse(readFileSync(join(import.meta.dirname, 'words.json'), 'utf8'))
const dictionary = phrases.map(({ find, write }) => ({ find: new RegExp(find, 'gi'), write }))
const paths = process.argv.slice(2).filter((argument) => argument !== '--lines')

const isMarkdown = /\.md$/
const isSource = /\.(?:[cm]?ts|tsx|mjs|py|sh)$/
/** Tests state inputs and compare them, and the reports of exports repeat the sources. */
const isLeftOut = /\.test\.tsx?$|\.fixture\.|(?:^|\/)(?:test|dist)\/|\/api\.md$/

/** Where a file belongs: its pages, or its package. */
function areaOf(file) {
  if (/(?:^|\/)README\.md$/.test(file)) return 'README files'
  if (isMarkdown.test(file)) return file.startsWith('.changeset/') ? 'changesets' : 'docs'
  const [folder = '', name] = file.split('/')
  return folder === 'packages' ? name : name === undefined ? 'settings' : folder
}

/** Code and comments on a page, and the names of tests that its links quote. */
const quoted = /^ *(```+|~~~+)[\s\S]*?^ *\1|`[^`\n]*`|<!--[\s\S]*?-->|(?<=\]\(\S+\.ts )"(?:[^"\\\n]|\\.)*"/gm
/** The names of tests that a suite keeps as data. */
const rowNames = /(?<=^ *name: )(?:'(?:[^'\\\n]|\\.)*'|`[^`]*`)/gm

/** The text of a file that people read, with everything else blank, so that each line keeps its number. */
function proseOf(file, text) {
  if (isMarkdown.test(file)) return text.replace(quoted, blank)
  if (/-rows\.ts$/.test(file)) text = text.replace(rowNames, blank)
  const comment = /\.(?:py|sh)$/.test(file) ? '#.*' : String.raw`\/\/.*|\/\*[\s\S]*?\*\/`
  const long = String.raw`"""[\s\S]*?"""|'''[\s\S]*?'''|\x60(?:[^\x60\\]|\\[\s\S])*\x60`
  const short = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`
  let end = 0
  let prose = ''
  for (const { 0: found, index } of text.matchAll(new RegExp(`${comment}|${long}|${short}`, 'g'))) {
    prose += blank(text.slice(end, index)) + found
    end = index + found.length
  }
  return prose
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ')
}

function hitsIn(file, prose) {
  return dictionary.flatMap(({ find, write }) =>
    [...prose.matchAll(find)].map(({ 0: found, index }) => {
      const line = prose.slice(0, index).split('\n').length
      return { file, line, found: found.replace(/\s+/g, ' '), write }
    }),
  )
}

/** Hits per 1,000 words. */
function rateOf({ hits, words }) {
  return (1000 * hits) / Math.max(words, 1)
}

const tracked = execFileSync('git', ['ls-files', ...paths], { cwd: root, encoding: 'utf8' }).split('\n')
const areas = new Map()
const hits = []
for (const file of tracked) {
  if (isLeftOut.test(file) || !(isMarkdown.test(file) || isSource.test(file))) continue
  const prose = proseOf(file, readFileSync(join(root, file), 'utf8'))
  const found = hitsIn(file, prose)
  const area = areas.get(areaOf(file)) ?? { hits: 0, words: 0 }
  areas.set(areaOf(file), {
    hits: area.hits + found.length,
    words: area.words + (prose.match(/\S+/g) ?? []).length,
  })
  hits.push(...found)
}

if (process.argv.includes('--lines')) {
  for (const { file, line, found, write } of hits) console.log(`${file}:${line}: "${found}" (${write})`)
}
let total = { hits: 0, words: 0 }
for (const [name, { hits, words }] of [...areas].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const rate = rateOf({ hits, words })
  const isAbove = paths.length === 0 && rate > (limits[name] ?? limits.others)
  const limit = isAbove ? `  above the limit of ${limits[name] ?? limits.others}: see --lines` : ''
  console.log(`${rate.toFixed(1).padStart(6)}  ${name}: ${hits} in ${words} words${limit}`)
  if (isAbove) process.exitCode = 1
  total = { hits: total.hits + hits, words: total.words + words }
}
console.log(`${rateOf(total).toFixed(1).padStart(6)}  all: ${total.hits} in ${total.words} words`)
