import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { page } from './layout.ts'

/** Stands in for the operator's form that "Request beta access" opens. */
export const betaPage = (c: Context<AppEnv>) =>
  page(
    c,
    'Request beta access',
    html`<article>
      <p>A deployment’s own form opens here: the address in <code>BETA_ACCESS_URL</code>. Where that is unset, the sign-in
      page has no such link.</p>
      <p>On a local stack, no access is needed: <a href="/signup">create an account</a>.</p>
    </article>`,
  )
