const paths = {
  plus: 'M8 3v10M3 8h10',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2L3 13z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  send: 'M8 13V3.5M4 7l4-4 4 4',
  stop: 'M4.5 4.5h7v7h-7z',
  clip: 'M10.8 5.2L6 10a1.4 1.4 0 002 2l5-5a2.8 2.8 0 00-4-4L4 8a4.2 4.2 0 006 6',
  play: 'M5 3.5l7.5 4.5L5 12.5z',
  again: 'M12.5 8A4.5 4.5 0 118 3.5c1.8 0 3 .9 4 2M12.5 3v2.8H9.7',
  undo: 'M5.8 3L3 5.8l2.8 2.8M3 5.8h6a3.7 3.7 0 010 7.4H6',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  down: 'M8 3v7M5 7.5L8 10.5l3-3M3.5 13h9',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  shield: 'M8 2.5l4.8 1.7v3.6c0 3-2 4.9-4.8 5.9-2.8-1-4.8-2.9-4.8-5.9V4.2z',
  globe: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM2.5 8h11M8 2.5c3 3 3 8 0 11M8 2.5c-3 3-3 8 0 11',
  folder: 'M2.5 4h4l1.2 1.5h5.8V12h-11z',
  clock: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 5v3.2l2 1.3',
  box: 'M8 2.5l5 2.6v5.8l-5 2.6-5-2.6V5.1zM3 5.1l5 2.6 5-2.6M8 7.7v5.8',
  plug: 'M6 2.5v3M10 2.5v3M4.5 5.5h7v2.5a3.5 3.5 0 01-7 0zM8 11.5v2',
  help: 'M6 6a2 2 0 112.8 1.9c-.5.3-.8.7-.8 1.4M8 11.6v.2M8 2a6 6 0 100 12A6 6 0 008 2z',
  search: 'M7 2.8a4.2 4.2 0 100 8.4 4.2 4.2 0 000-8.4zM10.2 10.2l3.2 3.2',
  warning: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.3v.2',
  newest: 'M8 3v10M4 9l4 4 4-4',
  copy: 'M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2',
} as const

/** A picture beside words, which say what it means. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg className="svg" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}
