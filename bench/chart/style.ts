// The page around it tells nothing of its colors, but the reader's system does.
export const style = `
text { font: 13px -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.task { font-size: 14px; font-weight: 600 }
.code { font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.93em }
.small { font-size: 11.5px }
.end { text-anchor: end }
.figure { font-variant-numeric: tabular-nums }
.muted, .own-text, .other-text { fill: #59636e }
.ours-text { font-weight: 600 }
.ours { fill: #d4541b }
.own { fill: #f0b596 }
.other { fill: #c5ced8 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.muted, .own-text, .other-text { fill: #9198a1 }
.ours { fill: #f3793f }
.own { fill: #7d4529 }
.other { fill: #4b535d }
}
`
