/** People who act for an account besides its owner, made over HTTP. */
import { expect } from 'vitest'
import { type Api, createUser, mailedLinkToken, type Options } from '../worker/apiClient.ts'
import type { AccountFixture } from './accountFixture.ts'

export type User = Awaited<ReturnType<typeof createUser>>
export const password = 'correct horse battery'

/** Calls of this person for the account `of`. */
export const actingFor =
  (api: Api, { token }: User, of: string) =>
  (method: string, path: string, body?: unknown, options: Options = {}) =>
    api.call(method, `/api${path}`, {
      ...{ token, headers: { 'x-account-id': of } },
      ...(body === undefined ? {} : { body }),
      ...options,
    })

/** Invites an address. Returns the member's id, and the token of the link in the mail. */
export async function invite({ asOwner }: Pick<AccountFixture, 'asOwner'>, email: string, role: string) {
  const invited = await asOwner('POST', '/people', { email, role, password })
  expect(invited.status, invited.text).toBe(201)
  return { id: invited.json.data.id as string, token: await mailedLinkToken(email) }
}

/** A person who has joined the account in this role. */
export async function joined(
  api: Api,
  account: Pick<AccountFixture, 'asOwner' | 'user'>,
  role: string,
  person?: User,
): Promise<User & { memberId: string; call: ReturnType<typeof actingFor> }> {
  const user = person ?? (await createUser(api, password))
  const { id, token } = await invite(account, user.email, role)
  const answer = await user.asOwner('POST', '/people/join', { token })
  expect(answer.status, answer.text).toBe(200)
  return { ...user, memberId: id, call: actingFor(api, user, account.user) }
}
