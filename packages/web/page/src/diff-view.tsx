import { visibleCode } from '@fenced/errors/text'
import { structuredPatch } from 'diff'

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', ' ': 'same' }

/** What was changed, with three lines around it. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const { hunks } = structuredPatch('', '', ended(before), ended(after), '', '', { context: 3 })
  return (
    <section className="diff" aria-label="Changes" tabIndex={0}>
      {hunks.map(({ oldStart, lines }) => (
        <div className="hunk" key={oldStart}>
          {lines.map((line, index) => (
            <div key={index} className={kinds[line.charAt(0)]}>
              <span className="sign" role="img" aria-label={kinds[line.charAt(0)]}>
                {line.charAt(0)}
              </span>
              {visibleCode(line.slice(1))}
            </div>
          ))}
        </div>
      ))}
    </section>
  )
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
