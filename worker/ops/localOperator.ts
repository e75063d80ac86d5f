import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { AppEnv } from '../appEnv.ts'

/** Set by /dev/operator, which exists on local stacks only. */
export const localOperatorCookie = 'local_operator'

/** The operator who signed in at /dev/operator. Always null outside local stacks, regardless of the cookie. */
export const localOperator = (c: Context<AppEnv>): string | null =>
  c.env.ENVIRONMENT === 'local' && getCookie(c, localOperatorCookie) === '1' ? 'local operator' : null
