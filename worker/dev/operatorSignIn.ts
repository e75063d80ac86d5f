import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { localOperatorCookie } from '../middleware/operator.ts'
import { page } from './layout.ts'

/** Stands in for Cloudflare Access on a local stack. A button is enough: only this machine can reach the stack. */
export const operatorSignInPage = (c: Context<AppEnv>) =>
  page(
    c,
    'Operators',
    html`<article>
      <p>A deployment’s operators sign in through Cloudflare Access. On a local stack this button is enough.</p>
      <form method="post" action="/dev/operator"><button>Continue as local operator</button></form>
    </article>`,
    { hasForms: true },
  )

export function signInAsOperator(c: Context<AppEnv>) {
  setCookie(c, localOperatorCookie, '1', { path: '/ops', httpOnly: true, sameSite: 'Strict' })
  return c.redirect('/ops', 303)
}
