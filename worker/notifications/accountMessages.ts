import { email, link, note, paragraph, secret } from './email.ts'
import { utcDay } from './format.ts'
import type { Message } from './message.ts'

/**
 * Messages to account owners about signing up, passwords and codes. They name nobody: the address may belong to someone
 * else than the person who chose the name.
 */

type Account = {
  userId: string
  to: string
  appOrigin: string
}
/** The code and, for the same purpose and time, the token of the link. */
type Proof = { code: string; linkToken: string }
type Timed = {
  /** ms */
  now: number
}

export function temporaryPasswordMessage({ userId, to, password, appOrigin }: Account & { password: string }): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph('Your Bursar account is ready. This is your temporary password:'),
    secret(password),
    paragraph('Sign in with this email address and choose your own password. The temporary password works for 7 days.'),
    link('Sign in', `${appOrigin}/login`),
    note('If you did not request an account, you can ignore this email.'),
  ]
  return email({ id: `temporary-password:${userId}`, to, subject: 'Your Bursar account', parts })
}

/**
 * Puts the token in the fragment, which browsers do not send. So it reaches us only when someone presses the button on that
 * page, not when a program opens links in mails, and it appears in no log.
 */
const linkTo = (page: string, linkToken: string) => `${page}#token=${linkToken}`

/** Proves that the email address belongs to the person who signed up with it. */
export const confirmationCodeMessage = (account: Account & Timed & Proof): Message =>
  codeMessage(account, {
    id: 'confirm-code',
    subject: 'Your Bursar confirmation code',
    purpose:
      'This is the code to confirm your email address for Bursar. Enter it within 24 hours, or use the link below.',
    action: 'Confirm your email address',
    page: '/confirm',
    warning: 'If you did not just sign up, ignore this email: do not enter the code anywhere and do not use the link.',
  })

export const resetCodeMessage = (account: Account & Timed & Proof): Message =>
  codeMessage(account, {
    id: 'reset-code',
    subject: 'Your Bursar password code',
    purpose: 'This is the code to choose a new password for Bursar. Enter it within 15 minutes, or use the link below.',
    action: 'Choose a new password',
    page: '/reset-password',
    warning: 'If you did not request it, ignore this email. Your password has not changed.',
  })

type CodeTexts = Record<'id' | 'subject' | 'purpose' | 'action' | 'page' | 'warning', string>

function codeMessage(
  { userId, to, code, linkToken, appOrigin, now }: Account & Timed & Proof,
  { id, subject, purpose, action, page, warning }: CodeTexts,
): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph(purpose),
    secret(code),
    link(action, linkTo(`${appOrigin}${page}`, linkToken)),
    note(warning),
  ]
  return email({ id: `${id}:${userId}:${now}`, to, subject, parts })
}

/** Sent instead of an API response that would reveal who has an account. At most one a day. */
export function alreadyRegisteredMessage({ userId, to, appOrigin, now }: Account & Timed): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph(
      'Someone just signed up for Bursar with this email address, which already has an account. Nothing has changed.',
    ),
    paragraph('If it was you, sign in, or choose a new password if you have forgotten yours.'),
    link('Sign in', `${appOrigin}/login`),
    link('Choose a new password', `${appOrigin}/forgot-password`),
  ]
  return email({ id: `already-registered:${userId}:${utcDay(now)}`, to, subject: 'Your Bursar account', parts })
}

export function passwordChangedMessage({ userId, to, now, appOrigin }: Account & Timed): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph('The password of your Bursar account was just changed. Your other devices have been signed out.'),
    paragraph('Webhooks, agents and their credentials keep working. If you do not know all of them, end the others:'),
    link('See what was added in the last 30 days', `${appOrigin}/dashboard/changes?made=true`),
    paragraph('If this was not you, reply to this email right away so that we can help you lock the account.'),
  ]
  return email({ id: `password-changed:${userId}:${now}`, to, subject: 'Your password was changed', parts })
}
