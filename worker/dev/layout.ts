import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'

type Html = ReturnType<typeof html>

/** A page without script. Values in `html` are escaped; only the style with the nonce is allowed. */
export async function page(
  c: Context<AppEnv>,
  title: string,
  content: Html,
  status: 200 | 400 | 404 | 502 = 200,
  formAction: "'none'" | "'self'" = "'none'",
) {
  const nonce = crypto.randomUUID()
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
<title>${title} · Bursar, local</title>
<style nonce="${nonce}">${raw(style)}</style>
</head>
<body>
<header><a href="/">Bursar</a> <span>local chain and inbox</span></header>
<main><h1>${title}</h1>${content}</main>
</body>
</html>`,
    status,
  )
}

/** Pairs of label and value, stacked on narrow screens. */
export const facts = (rows: [string, Html | string][]) =>
  html`<dl>${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

const style = `
:root { color-scheme: light; --paper: #f7f6f2; --card: #fff; --ink: #1b1d1a; --muted: #5c6058; --line: #dfdcd2; --green: #1f6f4a; --red: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header { padding: 12px 20px; border-bottom: 1px solid var(--line); color: var(--muted); font-size: 13px; }
header a { color: var(--green); font-weight: 600; }
main { max-width: 860px; margin: 0 auto; padding: 24px 20px; }
h1 { font-size: 20px; line-height: 28px; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
a { color: var(--green); }
a:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
article, dl { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 16px; }
dl div { display: grid; grid-template-columns: 160px 1fr; gap: 4px 16px; padding: 8px 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; padding-top: 0; }
dl div:last-child { padding-bottom: 0; }
dt, .muted { color: var(--muted); font-size: 13px; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 12px 0 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); font-size: 13px; }
th, td { padding: 8px 12px; text-align: left; border-top: 1px solid var(--line); white-space: nowrap; }
th { color: var(--muted); font-weight: 500; }
td.amount, th.amount { text-align: right; }
button { height: 40px; padding: 0 16px; border: 0; border-radius: 8px; background: var(--green); color: #fff; font: inherit; font-weight: 500; }
button:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
.good { color: var(--green); } .bad { color: var(--red); }
@media (max-width: 560px) { dl div { grid-template-columns: 1fr; } }
`
