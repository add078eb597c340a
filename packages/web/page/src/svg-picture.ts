/** An SVG as the address of a picture. A browser runs, loads and follows nothing of an SVG that is a picture. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withNamespace(svg).toWellFormed())}`
}

/** A picture needs the namespace, which an SVG within HTML can leave out. */
function withNamespace(svg: string): string {
  const start = svg.indexOf('<svg')
  if (start === -1 || /\sxmlns=/.test(svg.slice(start, svg.indexOf('>', start)))) return svg
  const end = start + '<svg'.length
  return `${svg.slice(0, end)} xmlns="http://www.w3.org/2000/svg"${svg.slice(end)}`
}
