/** Documents of a hostile program, each of which wants to reach an address: by itself, or when the person clicks `click me`. */
export function hostileHtml(address: (name: string) => string): Readonly<Record<string, string>> {
  const made = Object.entries(payloads).map(([name, html]) => {
    const url = address(name)
    return [
      name,
      `<b>shown</b>${html.replaceAll('URL', url).replaceAll('RELATIVE', url.slice('https:'.length))}`,
    ]
  })
  return Object.fromEntries(made)
}

/** The same as SVG. */
export function hostileSvg(address: (name: string) => string): Readonly<Record<string, string>> {
  const made = Object.entries(svgs).map(([name, svg]) => [name, svg.replaceAll('URL', address(name))])
  return Object.fromEntries(made)
}

const payloads: Readonly<Record<string, string>> = {
  iframe: '<iframe src="URL"></iframe>',
  'iframe-relative': '<iframe src="RELATIVE"></iframe>',
  'iframe-srcdoc': '<iframe srcdoc="<iframe src=URL></iframe>"></iframe>',
  'iframe-in-case': '<IfRaMe SRC="URL"></iFrAmE>',
  object: '<object data="URL"></object>',
  'object-param': '<object><param name="movie" value="URL"><embed src="URL"></object>',
  embed: '<embed src="URL">',
  frameset: '<frameset><frame src="URL"></frameset>',
  portal: '<portal src="URL"></portal><fencedframe config="URL" src="URL"></fencedframe>',
  link: '<a href="URL">click me</a>',
  'link-relative': '<a href="RELATIVE">click me</a>',
  'link-ping': '<a href="#" ping="URL">click me</a>',
  'link-blank': '<a href="URL" target="_blank" rel="opener">click me</a>',
  'link-top': '<a href="URL" target="_top">click me</a>',
  'link-javascript': '<a href="javascript:location=`URL`">click me</a>',
  'link-svg': '<svg width="200" height="50"><a href="URL"><text y="20">click me</text></a></svg>',
  'link-xlink': '<svg width="200" height="50"><a xlink:href="URL"><text y="20">click me</text></a></svg>',
  'link-math': '<math href="URL" display="block"><mtext href="URL" xlink:href="URL">click me</mtext></math>',
  area: '<map name="m"><area href="URL" coords="0,0,99,99" shape="rect"></map><img usemap="#m" alt="click me" width="99" height="99">',
  form: '<form action="URL"><button type="submit">click me</button></form>',
  'form-action': '<form><button formaction="URL" formmethod="post">click me</button></form>',
  'form-image': '<form action="URL"><input type="image" src="URL" alt="click me"></form>',
  isindex: '<isindex action="URL" prompt="click me">',
  refresh: '<meta http-equiv="refresh" content="0;url=URL">',
  base: '<base href="URL"><img src="x"><a href="y">click me</a>',
  preconnect: '<link rel="preconnect" href="URL"><link rel="preconnect" href="URL" crossorigin>',
  'dns-prefetch': '<link rel="dns-prefetch" href="URL">',
  prefetch: '<link rel="prefetch" href="URL"><link rel="prerender" href="URL"><link rel="next" href="URL">',
  preload: '<link rel="preload" as="image" href="URL"><link rel="modulepreload" href="URL">',
  stylesheet:
    '<link rel="stylesheet" href="URL"><link rel="icon" href="URL"><link rel="manifest" href="URL">',
  script:
    '<script src="URL"></script><script>fetch("URL"); new WebSocket("URL".replace("http", "ws"))</script>',
  speculation:
    '<script type="speculationrules">{"prefetch":[{"urls":["URL"]}],"prerender":[{"urls":["URL"]}]}</script>',
  handlers:
    '<img src="x" onerror="location=`URL`"><details open ontoggle="location=`URL`">click me</details>',
  img: '<img src="URL"><img src="x" srcset="URL 1x"><img loading="eager" lowsrc="URL" dynsrc="URL" longdesc="URL">',
  'img-attribution': '<img attributionsrc="URL" src="data:image/png;base64,AAAA">',
  picture: '<picture><source srcset="URL"><img src="data:image/png;base64,AAAA"></picture>',
  media:
    '<video src="URL" poster="URL" autoplay></video><audio src="URL" autoplay></audio><video><source src="URL"><track default src="URL"></video>',
  background:
    '<table background="URL"><tr><td background="URL">cell</td></tr></table><body background="URL">',
  'style-import': '<style>@import "URL"; @import url(URL);</style>',
  'style-url':
    '<style>b { background: url(URL); cursor: url("URL"), auto } b::after { content: url(URL) }</style>',
  'style-escaped': '<style>b { background: u\\72l(URL) } b { background: \\75 rl("URL") }</style>',
  'style-variable':
    '<style>:root { --a: url(URL) } b { background: var(--a); --b: "URL"; border-image: image-set("URL" 1x) }</style>',
  'style-font': '<style>@font-face { font-family: f; src: url(URL) } b { font-family: f }</style>',
  'style-nested':
    '<style>@media all { b { background: url(URL) } } @layer a { b { color: red; & b { background: url(URL) } } }</style>',
  'style-closed': '<style>b::before { content: "</style><iframe src=URL></iframe>" }</style>',
  'style-selector':
    '<style>[a="\\3c /style>\\3c iframe src=URL>"] { color: red } b { font-family: "\\3c/style>\\3ciframe src=URL>" }</style>',
  'style-attribute':
    '<p style="background: url(URL); list-style-image: url(URL); filter: url(URL#f); mask: url(URL)">text</p>',
  'style-attribute-escaped':
    '<p style="background:\\75\\72\\6c(URL);background-image:image-set(\'URL\' 1x)">text</p>',
  'svg-image':
    '<svg><image href="URL"/><image xlink:href="URL"/><use href="URL#a"/><feImage href="URL"/></svg>',
  'svg-style':
    '<svg><style>@import "URL"; * { fill: url(URL#a) }</style><rect fill="url(URL#a)" width="9" height="9"/></svg>',
  'svg-foreign':
    '<svg><foreignObject><iframe src="URL"></iframe><object data="URL"></object></foreignObject></svg>',
  'svg-animate': '<svg><a><animate attributeName="href" values="URL"/><text y="20">click me</text></a></svg>',
  'svg-script':
    '<svg><script href="URL"></script><set attributeName="onmouseover" to="location=`URL`"/></svg>',
  'math-style': '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;iframe src=URL&gt;">',
  'math-annotation':
    '<math><annotation-xml encoding="text/html"><iframe src="URL"></iframe></annotation-xml></math>',
  'form-math': '<form><math><mtext></form><form><mglyph><style></math><iframe src="URL">',
  'svg-title': '<svg></p><title><style><iframe src="URL"></style></title><iframe src="URL">',
  noscript: '<noscript><p title="</noscript><iframe src=URL></iframe>"></noscript>',
  comment: '<!--><iframe src="URL"></iframe>--><!--a--!><iframe src="URL"></iframe>',
  template:
    '<div><template shadowrootmode="open"><iframe src="URL"></iframe><style>@import "URL"</style></template></div>',
  'raw-text':
    '<xmp></xmp><iframe src="URL"></iframe><noembed></noembed><embed src="URL"><textarea></textarea><object data="URL"></object>',
  select:
    '<select><option><iframe src="URL"></iframe></option></select><table><iframe src="URL"></iframe></table>',
  processing:
    '<?xml-stylesheet href="URL"?><?php <iframe src="URL"></iframe> ?><![CDATA[<iframe src="URL"></iframe>]]>',
  custom: '<x-a is="iframe" src="URL"></x-a><iframe is="x-a" src="URL"></iframe><applet code="URL"></applet>',
  plaintext: '<plaintext><iframe src="URL"></iframe>',
}

const svgs: Readonly<Record<string, string>> = {
  'picture-image':
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image href="URL" width="9" height="9"/><image xlink:href="URL" width="9" height="9"/><use href="URL#a"/></svg>',
  'picture-style':
    '<svg width="9" height="9"><style>@import "URL"; rect { fill: url(URL#a) }</style><rect width="9" height="9"/></svg>',
  'picture-script':
    '<svg width="9" height="9" onload="location=`URL`"><script>fetch("URL")</script><script href="URL"/></svg>',
  'picture-html':
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><foreignObject width="9" height="9"><html xmlns="http://www.w3.org/1999/xhtml"><link rel="preconnect" href="URL"/><meta http-equiv="refresh" content="0;url=URL"/><iframe src="URL"/><img src="URL"/></html></foreignObject></svg>',
  'picture-entity':
    '<?xml version="1.0"?><?xml-stylesheet href="URL"?><!DOCTYPE svg [<!ENTITY e SYSTEM "URL">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e;</text></svg>',
  'picture-cut': '<svg \uD800',
}
