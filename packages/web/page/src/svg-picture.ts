/** The address of an SVG as a picture. In a picture, a browser does not run scripts, load anything or follow links. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withNamespace(svg).toWellFormed())}`
}

/** Adds the namespace that a picture needs. An SVG inside HTML can omit it. */
function withNamespace(svg: string): string {
  const start = svg.indexOf('<svg')
  if (start === -1 || /\sxmlns=/.test(svg.slice(start, svg.indexOf('>', start)))) return svg
  const end = start + '<svg'.length
  return `${svg.slice(0, end)} xmlns="http://www.w3.org/2000/svg"${svg.slice(end)}`
}
