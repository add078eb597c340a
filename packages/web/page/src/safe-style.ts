/** Properties that lay out and color text, tables and pictures. Custom properties are not among them: they keep any text. */
const properties = new RegExp(
  `^(?:${[
    'color|opacity|display|visibility|float|clear|position|top|right|bottom|left|z-index|box-(?:shadow|sizing)',
    'background-(?:color|image|size|repeat|position-[xy]|clip|origin)',
    'font-(?:family|size|style|weight|stretch|variant-[a-z-]+)|line-height|letter-spacing|word-(?:spacing|break)',
    'text-[a-z-]+|white-space(?:-collapse)?|overflow-(?:x|y|wrap)|vertical-align|direction|unicode-bidi|hyphens',
    '(?:min-|max-)?(?:width|height)|(?:margin|padding)-(?:top|right|bottom|left)|aspect-ratio|object-fit',
    'border-(?:top|right|bottom|left)-(?:width|style|color)|border-(?:top|bottom)-(?:left|right)-radius',
    'border-(?:collapse|spacing)|table-layout|caption-side|empty-cells|list-style-(?:type|position)',
    '(?:flex|grid|align|justify)-[a-z-]+|(?:row|column)-gap|order',
  ].join('|')})$`,
)

/** Functions of values. None of them names an address. */
const functions = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color-mix|calc|min|max|clamp|minmax|repeat)$/
const gradients = /^(?:repeating-)?(?:linear|radial|conic)-gradient$/

/** Parses the rules of one style element after another. It applies to no document. */
const sheet = new CSSStyleSheet()

/** The declarations of an element or a rule that are safe, as text. */
export function safeDeclarations(style: CSSStyleDeclaration): string {
  return [...style]
    .filter((name) => properties.test(name) && isSafeValue(style.getPropertyValue(name)))
    .map((name) => {
      const priority = style.getPropertyPriority(name) === '' ? '' : ' !important'
      return `${name}: ${style.getPropertyValue(name)}${priority}`
    })
    .join('; ')
}

/** The rules of a style sheet that are safe, as text. Rules that begin with `@` are left out: they load, or hold other rules. */
export function safeStyleSheet(text: string): string {
  sheet.replaceSync(text)
  return [...sheet.cssRules]
    .filter((rule) => rule instanceof CSSStyleRule)
    .filter(({ selectorText }) => isPlain(selectorText))
    .map(({ selectorText, style }) => `${selectorText} { ${safeDeclarations(style)} }`)
    .join('\n')
}

/** The browser serialized the value: comments are gone, and escapes occur in strings and names only. */
function isSafeValue(value: string): boolean {
  const called = [...value.matchAll(/([\w-]*)\(/g)].map(([, name = '']) => name.toLowerCase())
  return isPlain(value) && called.every((name) => functions.test(name) || gradients.test(name))
}

/** Whether a text cannot close a `style` element, and has no escapes. */
function isPlain(text: string): boolean {
  return text !== '' && !/[<\\]/.test(text)
}
