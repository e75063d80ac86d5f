import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { page } from './layout.ts'

/** Stands in for the form of an operator that "Request beta access" leads to. */
export const betaPage = (c: Context<AppEnv>) =>
  page(
    c,
    'Request beta access',
    html`<article>
      <p>A deployment’s own form opens here: the address in <code>BETA_ACCESS_URL</code>. Where that is unset, the sign-in
      page has no such link.</p>
      <p>This is a local stack, so nobody needs to ask: <a href="/signup">create an account</a>.</p>
    </article>`,
  )
