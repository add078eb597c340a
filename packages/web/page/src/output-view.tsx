import { visible } from '@fenced/errors/text'
import { ansiToJson } from 'anser'
import { memo, type ReactElement, useEffect, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Button } from './button.tsx'
import type { OutputLine, OutputLines } from './output-lines.ts'

/** A longer line is cut: a browser would take seconds to lay it out. */
const maxLine = 4_000

interface OutputViewProps {
  /** The object stays the same while it changes, and its length with it. */
  readonly output: OutputLines
  readonly length: number
  /** How many characters are not there. */
  readonly dropped: number
  /** Whether the end is shown first: more can come, or the program failed there. */
  readonly showsEnd: boolean
}

/** Longer output is folded to a part of the screen, in lines. */
const longestUnfolded = 15

/** Output of a program as it arrives. Only visible lines are in the DOM. */
export function OutputView({ output, dropped, length, showsEnd }: OutputViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const isAtEnd = useRef(showsEnd)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (showsEnd) isAtEnd.current = true
  }, [showsEnd])
  useEffect(() => {
    if (isAtEnd.current && length > 0) list.current?.scrollToIndex(length - 1, { align: 'end' })
  }, [length])
  if (length === 0) return undefined
  const isLong = length > longestUnfolded
  return (
    <>
      <div
        className={isOpen ? 'output open' : 'output'}
        role="log"
        aria-live="off"
        aria-label="Output"
        ref={box}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {(dropped > 0 || output.left > 0) && (
          <p className="dropped">
            {dropped > 0
              ? `${dropped.toLocaleString('en')} characters are left out here.`
              : `${output.left.toLocaleString('en')} lines before are left out.`}
          </p>
        )}
        <Virtualizer ref={list} scrollRef={box} data={output.lines} itemSize={19}>
          {(line, index) => <Line key={index} line={line} />}
        </Virtualizer>
      </div>
      {isLong && (
        <Button
          className="quiet fold"
          label={isOpen ? 'Show less output' : `Show more of ${length.toLocaleString('en')} lines`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      )}
    </>
  )
}

const Line = memo(function Line({ line }: { readonly line: OutputLine }): ReactElement {
  const { text, colors, isError } = line
  const cut = text.length > maxLine ? text.slice(0, maxLine) : text
  return (
    <div className={isError ? 'line error' : 'line'}>
      <bdi>{colored(colors + cut)}</bdi>
      {cut === text ? (
        cut === '' ? (
          '\u00A0'
        ) : undefined
      ) : (
        <span className="dropped"> {(text.length - maxLine).toLocaleString('en')} more characters</span>
      )}
    </div>
  )
})

/** Colors are classes; all else that a terminal would do is shown as text. */
function colored(text: string): (string | ReactElement)[] {
  if (!text.includes('\u001B')) return [visible(text)]
  return ansiToJson(text, { use_classes: true, json: true, remove_empty: true }).map(
    ({ content, fg, decorations }, index) => (
      <span
        key={index}
        className={[fg, ...(decorations ?? [])]
          .filter(Boolean)
          .map((name) => `a-${name}`)
          .join(' ')}
      >
        {visible(content)}
      </span>
    ),
  )
}
