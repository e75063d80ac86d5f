import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from '../appEnv.ts'

export type Html = ReturnType<typeof html>

type Options = {
  status?: ContentfulStatusCode
  /** Shown next to the name. */
  nav?: Html
  /** Appended to the style of all pages. */
  moreStyle?: string
  /** Whether the page has forms that post to its own origin. */
  hasForms?: boolean
}

/** A page served by the Worker, without script. Values in `html` are escaped; only the style with the nonce is allowed. */
export function page(c: Context<AppEnv>, title: string, content: Html | Html[], options: Options = {}) {
  const { status = 200, nav, moreStyle = '', hasForms = false } = options
  const nonce = crypto.randomUUID()
  const formAction = hasForms ? "'self'" : "'none'"
  c.header(
    'content-security-policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'; form-action ${formAction}`,
  )
  return c.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Bursar</title>
<style nonce="${nonce}">${raw(style + moreStyle)}</style>
</head>
<body>
<header><a href="/">Bursar</a>${nav ?? ''}</header>
<main><h1>${title}</h1>${content}</main>
</body>
</html>`,
    status,
  )
}

const style = `
:root { color-scheme: light; --paper: #f7f6f2; --card: #fff; --ink: #1b1d1a; --muted: #5c6058; --line: #dfdcd2; --green: #1f6f4a; --code: #f1efe8; }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.6 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header { padding: 12px max(20px, calc(50% - 430px)); border-bottom: 1px solid var(--line); background: var(--card); }
header a { color: var(--green); font-weight: 600; text-decoration: none; }
main { max-width: 900px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 24px; line-height: 32px; margin: 0 0 12px; }
h2 { font-size: 18px; line-height: 28px; margin: 40px 0 8px; }
h3 { font-size: 15px; line-height: 24px; margin: 0 0 4px; }
h4 { font-size: 13px; margin: 16px 0 4px; color: var(--muted); font-weight: 600; }
p { margin: 0 0 12px; max-width: 70ch; }
p, li, td { text-wrap: pretty; }
a { color: var(--green); }
a:focus-visible, summary:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { background: var(--code); border-radius: 4px; padding: 1px 4px; overflow-wrap: anywhere; }
pre { background: var(--code); border-radius: 8px; padding: 12px; margin: 0 0 12px; overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
nav ul { list-style: none; margin: 0 0 16px; padding: 0; columns: 2; column-gap: 32px; }
nav li { break-inside: avoid; margin: 0 0 4px; }
nav .muted { display: inline-block; }
section.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 16px; }
.method { display: inline-block; min-width: 44px; color: var(--green); font-weight: 700; }
.muted { color: var(--muted); font-size: 13px; }
.scroll { overflow-x: auto; margin: 0 0 12px; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th, td { padding: 6px 12px 6px 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th { color: var(--muted); font-weight: 500; border-top: 0; }
td:first-child { white-space: nowrap; }
@media (max-width: 560px) {
  nav ul { columns: 1; }
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: 6px 0; }
  td { display: block; border: 0; padding: 0; white-space: normal; }
}
`
