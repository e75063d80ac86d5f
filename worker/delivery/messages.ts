import type { Message } from './delivery.ts'

/**
 * The words of our emails and SMS. Codes and passwords stand alone on their line, so that they can be copied;
 * amounts are decimal USDC. Text from users (names, memos) is put on one line and cut, so it cannot pose as ours.
 */
type Channel = Message['channel']

export function temporaryPasswordMessage(input: {
  userId: string
  to: string
  name: string | null
  password: string
  appOrigin: string
}): Message {
  const { userId, to, name, password, appOrigin } = input
  const text = lines(
    `${greeting(name)}`,
    '',
    'Your Bursar account is ready. This is your temporary password:',
    '',
    password,
    '',
    `Sign in at ${appOrigin}/login with this address. You will choose your own password right after.`,
    'The temporary password works for 7 days.',
    '',
    'Did not ask for an account? Then you can ignore this message.',
  )
  return { id: `temporary-password:${userId}`, to, channel: 'email', subject: 'Your Bursar account', text }
}

/** Proves that an email address belongs to whoever signed up with it. */
export function confirmationCodeMessage(input: AccountCode): Message {
  const { userId, to, name, code, appOrigin, now } = input
  const text = lines(
    greeting(name),
    '',
    'This is your code to confirm your email address for Bursar:',
    '',
    code,
    '',
    `Enter it at ${appOrigin}/confirm within 24 hours.`,
    '',
    'Did you not just sign up? Then ignore this message, and do not enter the code anywhere.',
  )
  return { id: `confirm-code:${userId}:${now}`, to, channel: 'email', subject: 'Your Bursar confirmation code', text }
}

export function resetCodeMessage(input: AccountCode): Message {
  const { userId, to, name, code, appOrigin, now } = input
  const text = lines(
    greeting(name),
    '',
    'This is your code to choose a new password for Bursar:',
    '',
    code,
    '',
    `Enter it at ${appOrigin}/reset-password within 15 minutes.`,
    '',
    'Did you not ask for it? Then ignore this message: your password stays as it is.',
  )
  return { id: `reset-code:${userId}:${now}`, to, channel: 'email', subject: 'Your Bursar password code', text }
}

/** Instead of an answer that would tell strangers who has an account. At most one a day. */
export function alreadyRegisteredMessage(input: Omit<AccountCode, 'code'>): Message {
  const { userId, to, name, appOrigin, now } = input
  const text = lines(
    greeting(name),
    '',
    'Somebody just signed up for Bursar with this email address, which already has an account. Nothing has changed.',
    '',
    `Was it you? Then sign in at ${appOrigin}/login`,
    `or choose a new password at ${appOrigin}/forgot-password`,
  )
  const today = new Date(now).toISOString().slice(0, 10)
  return { id: `already-registered:${userId}:${today}`, to, channel: 'email', subject: 'Your Bursar account', text }
}

type AccountCode = {
  userId: string
  to: string
  name: string | null
  code: string
  appOrigin: string
  /** ms */
  now: number
}

/** Test USDC costs nothing: whoever is sent some must not take it for money. */
const moneyText = ({ amount, isTest }: { amount: string; isTest?: boolean }) =>
  `${amount} ${isTest ? 'test USDC' : 'USDC'}`
const noValue = 'This is test money on the Base Sepolia network: it has no value.'

/** Link and code of a payout; they leave together, once the money is in place. */
export function payoutLinkMessage(input: {
  /** Stable per code version. */
  id: string
  to: string
  channel: Channel
  senderName: string | null
  amount: string
  isTest?: boolean
  memo: string | null
  claimUrl: string
  code: string
  /** ms */
  expiresAt: number
}): Message {
  const { id, to, channel, isTest, claimUrl, code, expiresAt } = input
  const money = moneyText(input)
  const sender = oneLine(input.senderName, 60) ?? 'Somebody'
  const memo = oneLine(input.memo, 100)
  const subject = `${sender} sent you ${money}`
  const text =
    channel === 'sms'
      ? lines(
          `${subject} with Bursar. Claim it until ${day(expiresAt)}:`,
          claimUrl,
          'Your code:',
          code,
          ...(isTest ? [noValue] : []),
        )
      : lines(
          'Hello,',
          '',
          `${sender} sent you ${money} with Bursar.`,
          ...(isTest ? [noValue] : []),
          ...(memo ? ['', `Their note: "${memo}"`] : []),
          '',
          'Claim it here. You need no account:',
          claimUrl,
          '',
          'Your code:',
          '',
          code,
          '',
          `The payment waits for you until ${day(expiresAt)}. After that it goes back to the sender.`,
          'Keep the code to yourself: whoever has the link and the code can claim the payment.',
        )
  return { id, to, channel, subject, text }
}

/** Three days and one day before a payout goes back. */
export function payoutReminderMessage(input: {
  id: string
  to: string
  channel: Channel
  senderName: string | null
  amount: string
  isTest?: boolean
  claimUrl: string
  /** ms */
  expiresAt: number
}): Message {
  const { id, to, channel, isTest, claimUrl, expiresAt } = input
  const money = moneyText(input)
  const sender = oneLine(input.senderName, 60) ?? 'somebody'
  const subject = `${money} is still waiting for you`
  const text = lines(
    `${money} from ${sender} is waiting for you until ${day(expiresAt)}. After that it goes back to the sender.`,
    claimUrl,
    ...(isTest ? [noValue] : []),
    'The code is in our first message. You can have a new one sent from that page.',
  )
  return { id, to, channel, subject, text }
}

/** To the sender, when the recipient has taken the money. `recipient` may be in full: the sender wrote it. */
export function payoutClaimedMessage(input: {
  payoutId: string
  to: string
  amount: string
  isTest?: boolean
  recipient: string
  explorerUrl: string | null
}): Message {
  const { payoutId, to, recipient, explorerUrl } = input
  const money = moneyText(input)
  const text = lines(
    'Hello,',
    '',
    `Your payout of ${money} to ${oneLine(recipient, 254)} has been claimed.`,
    ...(explorerUrl ? ['', 'The transaction:', explorerUrl] : []),
  )
  return { id: `payout-claimed:${payoutId}`, to, channel: 'email', subject: `${money} was claimed`, text }
}

/** To the sender, when the money is back in the wallet: taken back, or because nobody claimed it in time. */
export function payoutReturnedMessage(input: {
  payoutId: string
  to: string
  amount: string
  isTest?: boolean
  recipient: string
  reason: 'reclaimed' | 'not_claimed'
}): Message {
  const { payoutId, to, recipient, reason } = input
  const money = moneyText(input)
  const why = reason === 'reclaimed' ? 'You took it back.' : 'Nobody claimed it in time.'
  const text = lines(
    'Hello,',
    '',
    `Your payout of ${money} to ${oneLine(recipient, 254)} is back in your wallet. ${why}`,
  )
  return { id: `payout-returned:${payoutId}`, to, channel: 'email', subject: `${money} came back to you`, text }
}

/** To the owner, when a group's budget passes 75, 90 or 100 %. Amounts in USDC. */
export function budgetMessage(input: {
  id: string
  to: string
  group: string
  percent: number
  limit: string
  remaining: string
  appOrigin: string
}): Message {
  const { id, to, percent, limit, remaining, appOrigin } = input
  const group = oneLine(input.group, 60) ?? 'Your policy group'
  const text = lines(
    'Hello,',
    '',
    percent >= 100
      ? `The budget of ${group} is used up: ${limit} USDC are spent or held. Its agents' next payments are refused.`
      : `The budget of ${group} is ${percent}% used: ${remaining} of ${limit} USDC are left.`,
    '',
    'You can top it up, or see who spent it:',
    `${appOrigin}/dashboard/usage`,
  )
  const subject = percent >= 100 ? `The budget of ${group} is used up` : `The budget of ${group} is ${percent}% used`
  return { id, to, channel: 'email', subject, text }
}

/** To the owner, when a wallet pays nobody because the chain contradicts its books. At most one a day. */
export function walletStoppedMessage(input: {
  walletId: string
  to: string
  name: string | null
  address: string
  appOrigin: string
  /** ms */
  now: number
}): Message {
  const { walletId, to, address, appOrigin, now } = input
  const wallet = oneLine(input.name, 60) ?? 'your wallet'
  const text = lines(
    'Hello,',
    '',
    `Payments from ${wallet} (${address}) are stopped: what the chain shows does not match our records of it.`,
    'Nothing leaves it through Bursar until that is explained. With the owner key you can withdraw at any time.',
    '',
    `${appOrigin}/dashboard/wallets shows its state. If it stays like this, please answer this email.`,
  )
  const today = new Date(now).toISOString().slice(0, 10)
  const subject = `Payments from ${wallet} are stopped`
  return { id: `wallet-stopped:${walletId}:${today}`, to, channel: 'email', subject, text }
}

export function passwordChangedMessage(input: {
  userId: string
  to: string
  name: string | null
  now: number
}): Message {
  const { userId, to, name, now } = input
  const text = lines(
    greeting(name),
    '',
    'The password of your Bursar account was just changed. Other devices have been signed out.',
    '',
    'Was it not you? Then answer this email right away, so that we can help you lock the account.',
  )
  return { id: `password-changed:${userId}:${now}`, to, channel: 'email', subject: 'Your password was changed', text }
}

const lines = (...all: string[]) => all.join('\n')
const greeting = (name: string | null) => `Hello${name ? ` ${oneLine(name, 60)}` : ''},`
const day = (at: number) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at).concat(' UTC')

function oneLine(text: string | null, max: number): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = (text ?? '').replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/gu, ' ').trim()
  if (!plain) return null
  return [...plain].length > max ? `${[...plain].slice(0, max - 1).join('')}…` : plain
}
