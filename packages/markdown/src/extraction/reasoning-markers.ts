/** A marker at which reasoning starts or ends. */
export interface ReasoningMarker {
  /** `tag` is `<think>`, `triangle` is Kimi's marker, `bracket` Mistral's, and `channel` gpt-oss's. */
  readonly form: 'tag' | 'triangle' | 'bracket' | 'channel'
  readonly closes: boolean
  /** Whether it only ends a message: without reasoning it is text. */
  readonly isEndOfMessage: boolean
  readonly start: number
  readonly end: number
}

const markers = new RegExp(
  [
    String.raw`<(?<tagSlash>\/?)(?<tag>[a-z][\w-]*)(?:\s[^<>]*)?>`,
    String.raw`◁(?<triangleSlash>\/?)(?<triangle>[a-z]+)▷`,
    String.raw`\[(?<bracketSlash>\/?)(?<bracket>think)\]`,
    String.raw`(?:<\|start\|>assistant)?<\|channel\|>(?<channel>[a-z]+)[^<>]{0,100}<\|message\|>`,
    String.raw`(?<message><\|end\|>)`,
  ].join('|'),
  'gi',
)

/** The markers in a line, without those in inline code. `names`: of the tags, in lower case. */
export function* markersIn(text: string, names: ReadonlySet<string>): Generator<ReasoningMarker> {
  if (!/[<◁[]/.test(text)) return
  const lastBacktick = text.lastIndexOf('`')
  const backticks = /`+/g
  let runs = 0
  let nextRun = backticks.exec(text)
  for (const match of text.matchAll(markers)) {
    const marker = markerOf(match, names)
    if (marker === undefined) continue
    for (; nextRun !== null && nextRun.index < match.index; nextRun = backticks.exec(text)) runs += 1
    const isInlineCode = runs % 2 === 1 && lastBacktick > match.index
    if (!isInlineCode) yield marker
  }
}

function markerOf(match: RegExpExecArray, names: ReadonlySet<string>): ReasoningMarker | undefined {
  const { 0: text, index: start, groups = {} } = match
  const place = { start, end: start + text.length, isEndOfMessage: false }
  const { tag, triangle, bracket, channel } = groups
  if (tag !== undefined) {
    const isTag = names.has(tag.toLowerCase()) && !text.endsWith('/>')
    return isTag ? { ...place, form: 'tag', closes: groups.tagSlash === '/' } : undefined
  }
  // The other forms have one name, and mean what `<think>` means.
  if (!names.has('think')) return undefined
  if (triangle !== undefined)
    return triangle === 'think'
      ? { ...place, form: 'triangle', closes: groups.triangleSlash === '/' }
      : undefined
  if (bracket !== undefined)
    return bracket === 'THINK'
      ? { ...place, form: 'bracket', closes: groups.bracketSlash === '/' }
      : undefined
  const isEndOfMessage = channel === undefined
  return { ...place, form: 'channel', closes: channel !== 'analysis', isEndOfMessage }
}
