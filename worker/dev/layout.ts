import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { type Html, page as workerPage } from '../pages/layout.ts'

type Options = { status?: 200 | 400 | 404 | 502; hasForms?: boolean }

/** A page that only local stacks have. */
export const page = (c: Context<AppEnv>, title: string, content: Html, options: Options = {}) =>
  workerPage(c, title, content, {
    ...options,
    nav: html` <span class="muted">local chain and inbox</span>`,
    moreStyle: style,
  })

/** Pairs of label and value, stacked on narrow screens. */
export const facts = (rows: [string, Html | string][]) =>
  html`<dl>${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

const style = `
:root { --red: #b3261e; }
h1 { font-size: 20px; line-height: 28px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
article, dl { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 16px; }
dl div { display: grid; grid-template-columns: 160px 1fr; gap: 4px 16px; padding: 8px 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; padding-top: 0; }
dl div:last-child { padding-bottom: 0; }
dt { color: var(--muted); font-size: 13px; }
dd { margin: 0; overflow-wrap: anywhere; }
article pre { margin: 12px 0 0; padding: 0; background: none; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
td.amount, th.amount { text-align: right; }
button { height: 40px; padding: 0 16px; border: 0; border-radius: 8px; background: var(--green); color: #fff; font: inherit; font-weight: 500; }
button:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
.good { color: var(--green); } .bad { color: var(--red); }
@media (max-width: 560px) { dl div { grid-template-columns: 1fr; } }
`
