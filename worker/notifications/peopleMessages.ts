import { type MemberRole, roleTexts } from '#domain/roles.ts'
import { secondPersonText } from '#domain/secondPerson.ts'
import { utcText } from '#domain/utcText.ts'
import { email, link, note, paragraph } from './email.ts'
import type { Message } from './message.ts'

/**
 * An invitation to act for an account. `id` is that of the invitation. The token is in the fragment, which browsers do not send, so
 * that it appears in no log.
 */
export function invitationMessage(input: {
  id: string
  to: string
  role: MemberRole
  account: { name: string; ownerEmail: string }
  token: string
  appOrigin: string
}): Message {
  const { id, to, role, account, token, appOrigin } = input
  const parts = [
    paragraph('Hello,'),
    paragraph(
      `${account.name} (${account.ownerEmail}) invites you to their Bursar account as ${role}. You could ${roleTexts[role]}.`,
    ),
    link('See the invitation', `${appOrigin}/join#token=${token}`),
    paragraph('Sign in, or sign up, with this email address. The link works once, within 14 days.'),
    note('If you do not know this person, ignore this email: nothing happens.'),
  ]
  return email({ id: `invitation:${id}`, to, subject: 'An invitation to a Bursar account', parts })
}

/** To members, who may object before the limit protects less. Amounts are decimal USDC, `at` in ms. */
export function secondPersonMessage(input: {
  id: string
  to: string
  account: string
  above: string | null
  next: { above: string | null; at: number } | null
  page: string
}): Message {
  const { id, to, account, above, next, page } = input
  const parts = [
    paragraph('Hello,'),
    paragraph(`The owner of ${account} has changed who must agree to payments. Now, ${secondPersonText(above)}.`),
    ...(next ? [paragraph(`From ${utcText(next.at)}, ${secondPersonText(next.above)}.`)] : []),
    link('See the account’s people', page),
    ...(next ? [note('If you do not expect this, ask the owner before that time, in another way than by email.')] : []),
  ]
  return email({ id, to, subject: `Who must agree to payments of ${account} changes`, parts })
}

/** To members, about money that left with a wallet's owner key, which no limit holds. `amount` in decimal USDC. */
export function withdrawalMessage(input: {
  id: string
  to: string
  account: string
  amount: string
  page: string
}): Message {
  const { id, to, account, amount, page } = input
  const parts = [
    paragraph('Hello,'),
    paragraph(
      `${amount} USDC left a wallet of ${account} with the wallet’s own key. Nobody else had to agree to that.`,
    ),
    link('See the transactions', page),
  ]
  return email({ id, to, subject: `${amount} USDC left a wallet of ${account}`, parts })
}
