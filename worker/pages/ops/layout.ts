import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from '../../appEnv.ts'
import { formToken } from '../../ops/formToken.ts'
import { type Html, page } from '../layout.ts'

/** Pages for operators: plain forms and tables in the style of the other pages, without script. */

export const sections = [
  ['/ops', 'Status'],
  ['/ops/users', 'Accounts'],
  ['/ops/stuck', 'Stuck'],
  ['/ops/claim-links', 'Claim links'],
  ['/ops/passcodes', 'Passcodes'],
  ['/ops/actions', 'Acts'],
] as const

export function opsPage(
  c: Context<AppEnv>,
  title: string,
  content: Html[],
  { status = 200, notice }: { status?: ContentfulStatusCode; notice?: string } = {},
) {
  const nav = html`<nav aria-label="Operators">${sections.map(
    ([path, name]) => html`<a href="${path}" ${c.req.path === path ? html`aria-current="page"` : ''}>${name}</a>`,
  )}</nav>`
  const shown = notice ? [html`<p class="notice" role="status">${notice}</p>`, ...content] : content
  return page(c, title, shown, { status, nav, moreStyle: style, hasForms: true })
}

export type Form = (action: string, button: string, fields?: Html | Html[] | '', look?: 'danger') => Html

/** Builds forms that contain the operator's token and ask for a reason. */
export function formsFor(c: Context<AppEnv>): Form {
  const token = formToken(c.env, c.var.operator, c.var.deps.now())
  return (action, button, fields = '', look) => html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
${fields}
<label>Reason <input name="reason" required maxlength="500" autocomplete="off"></label>
<button class="${look ?? ''}">${button}</button>
</form>`
}

export const field = (label: string, name: string, more: { value?: string; hint?: string; required?: boolean } = {}) =>
  html`<label>${label} <input name="${name}" value="${more.value ?? ''}" ${more.required ? html`required` : ''} maxlength="500" autocomplete="off">${more.hint ? html`<small>${more.hint}</small>` : ''}</label>`

export const card = (title: string, content: (Html | string)[] | Html | string) =>
  html`<section class="card"><h2>${title}</h2>${content}</section>`

export const facts = (rows: [string, Html | string][]) =>
  html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** On narrow screens rows become blocks with labeled values. `none` is shown if there are no rows. */
export function table(labels: string[], rows: (Html | string)[][], none: string) {
  if (rows.length === 0) return html`<p class="muted">${none}</p>`
  return html`<table><thead><tr>${labels.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell, i) => html`<td data-label="${labels[i] ?? ''}"><span>${cell}</span></td>`)}</tr>`,
  )}</tbody></table>`
}

/** '2026-11-20 12:00 UTC' */
export const time = (iso: string | null) =>
  iso === null ? html`–` : html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`

export const userLink = (userId: string) => html`<a href="/ops/users/${encodeURIComponent(userId)}">${userId}</a>`

const style = `
header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; }
header nav { display: flex; flex-wrap: wrap; gap: 0 16px; }
header nav a { font-weight: 400; padding: 8px 0; }
header nav a[aria-current] { color: var(--ink); text-decoration: underline; text-underline-offset: 4px; }
section.card h2 { margin: 0 0 12px; }
.notice { background: #e6f1ea; border-radius: 8px; padding: 12px; max-width: none; overflow-wrap: anywhere; }
.warning { background: #fbf0dc; color: #7a4700; border-radius: 8px; padding: 12px; max-width: none; }
form { display: grid; gap: 12px; max-width: 440px; margin: 0 0 24px; }
form:last-child, dl:last-child { margin: 0; }
label { display: grid; gap: 4px; font-size: 13px; font-weight: 500; }
small { color: var(--muted); font-weight: 400; }
input, select { font: inherit; font-size: 15px; min-height: 44px; padding: 8px 12px; border: 1px solid #85887e; border-radius: 8px; background: #fff; color: var(--ink); width: 100%; }
button { font: inherit; font-weight: 600; min-height: 44px; padding: 8px 16px; border: 0; border-radius: 8px; background: var(--green); color: #fff; justify-self: start; cursor: pointer; }
button.danger { background: #b3261e; }
input:focus-visible, select:focus-visible, button:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
dl { margin: 0 0 16px; display: grid; gap: 8px; }
dl div { display: grid; grid-template-columns: 180px 1fr; gap: 0 12px; }
dt { color: var(--muted); font-size: 13px; }
dd, td { overflow-wrap: anywhere; }
dd { margin: 0; }
td:first-child { white-space: normal; }
@media (max-width: 560px) {
  dl div { grid-template-columns: 1fr; }
  td { display: grid; grid-template-columns: 96px 1fr; gap: 8px; }
  td::before { content: attr(data-label); color: var(--muted); }
}
`
