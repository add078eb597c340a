import DOMPurify from 'dompurify'
import { safeDeclarations, safeStyleSheet } from './safe-style.ts'

const tags = [
  ...['p', 'div', 'span', 'br', 'hr', 'wbr', 'pre', 'blockquote', 'figure', 'figcaption', 'img', 'style'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'footer', 'main', 'section', 'article', 'aside'],
  ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'abbr', 'cite', 'q'],
  ...[
    'code',
    'samp',
    'kbd',
    'var',
    'time',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
    'details',
    'summary',
    'center',
  ],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]

const attributes = [
  ...['alt', 'class', 'dir', 'height', 'id', 'lang', 'open', 'src', 'start', 'style', 'title', 'width'],
  ...['align', 'bgcolor', 'border', 'cellpadding', 'cellspacing', 'colspan', 'headers', 'rowspan', 'scope'],
  ...['span', 'valign'],
]

const picture = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/=\s]*$/i

const purify = DOMPurify(window)
purify.addHook('uponSanitizeElement', (node, { tagName }) => {
  if (tagName === 'style') node.textContent = safeStyleSheet(node.textContent ?? '')
})
purify.addHook('uponSanitizeAttribute', (node, attribute) => {
  if (attribute.attrName === 'style') attribute.attrValue = safeDeclarations((node as HTMLElement).style)
  if (attribute.attrName === 'src')
    attribute.keepAttr = node.nodeName === 'IMG' && picture.test(attribute.attrValue)
})

/**
 * Rebuilds HTML of a program from an allowlist of elements, attributes and styles: text, tables and pictures that are part of the
 * HTML. Nothing in the result connects, navigates, sends or runs. A policy is not enough: a browser connects for some elements
 * although the policy stops their request.
 */
export function safeHtml(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    // Keeps a style element at the beginning.
    FORCE_BODY: true,
  })
}
