import { utcText } from '#domain/utcText.ts'
import { email, link, note, paragraph, secret, sms } from './email.ts'
import { formatMoney, oneLine, quoted, testMoneyNotice, usdcInWords } from './format.ts'
import type { Channel, Message } from './message.ts'

/** Messages about a payout, to its recipient and its sender. Amounts are decimal USDC. */

/** The sender's words are in lines of their own, in quotes and never first, because the reader may be anyone. */
function words({ senderName, memo = null }: { senderName: string | null; memo?: string | null }): string[] {
  const [name, note] = [quoted(senderName, 60), quoted(memo, 100)]
  return [...(name ? [`Sender: ${name}`] : []), ...(note ? [`Note: ${note}`] : [])]
}

type Money = { amount: string; isTest?: boolean }

/** Message to the recipient with link and code, sent once the payout is funded. */
export function payoutLinkMessage(
  input: Money & {
    /** Stable per code version. */
    id: string
    payoutId: string
    to: string
    channel: Channel
    senderName: string | null
    memo: string | null
    claimUrl: string
    code: string
    /** ms */
    expiresAt: number
  },
): Message {
  const { id, payoutId, to, channel, isTest, claimUrl, code, expiresAt, senderName } = input
  const money = formatMoney(input)
  const subject = `You were sent ${money}`
  if (channel === 'sms') {
    const parts = [
      paragraph(`${subject} with Bursar.`),
      ...words({ senderName }).map(paragraph),
      link(`Claim it by ${utcText(expiresAt)}`, claimUrl),
      paragraph('Your code:'),
      secret(code),
      ...(isTest ? [note(testMoneyNotice)] : []),
    ]
    return sms({ id, payoutId, to, subject, parts })
  }
  const parts = [
    paragraph('Hello,'),
    paragraph(`${subject} with Bursar.`),
    note(isTest ? testMoneyNotice : usdcInWords),
    ...words(input).map(paragraph),
    paragraph('You do not need an account to claim it:'),
    link(`Claim ${money}`, claimUrl),
    paragraph('The page asks for this code:'),
    secret(code),
    paragraph(`You can claim it until ${utcText(expiresAt)}. After that it returns to the sender.`),
    note('Keep the code to yourself: anyone with the link and the code can claim the payment.'),
  ]
  return email({ id, payoutId, to, subject, parts })
}

/** Message to the recipient, three days and one day before the payout returns to its sender. */
export function payoutReminderMessage(
  input: Money & {
    id: string
    payoutId: string
    to: string
    channel: Channel
    senderName: string | null
    claimUrl: string
    /** ms */
    expiresAt: number
  },
): Message {
  const { id, payoutId, to, channel, isTest, claimUrl, expiresAt } = input
  const money = formatMoney(input)
  const waiting = `${money} is waiting for you until ${utcText(expiresAt)}. After that it returns to the sender.`
  const hint = 'The code is in our first message. You can request a new one on that page.'
  const subject = `${money} is still waiting for you`
  if (channel === 'sms') {
    const test = isTest ? [note(testMoneyNotice)] : []
    const parts = [
      paragraph(waiting),
      ...words(input).map(paragraph),
      link('Claim it here', claimUrl),
      ...test,
      note(hint),
    ]
    return sms({ id, payoutId, to, subject, parts })
  }
  const parts = [
    paragraph('Hello,'),
    paragraph(waiting),
    ...words(input).map(paragraph),
    ...(isTest ? [note(testMoneyNotice)] : []),
    link(`Claim ${money}`, claimUrl),
    note(hint),
  ]
  return email({ id, payoutId, to, subject, parts })
}

/** Message to the sender, once the recipient has claimed the money. `recipient` is unmasked, since the sender entered it. */
export function payoutClaimedMessage(
  input: Money & { payoutId: string; to: string; recipient: string; explorerUrl: string | null },
): Message {
  const { payoutId, to, recipient, explorerUrl } = input
  const money = formatMoney(input)
  const parts = [
    paragraph('Hello,'),
    paragraph(`Your payout of ${money} to ${oneLine(recipient, 254)} has been claimed.`),
    ...(explorerUrl ? [link('View the transaction', explorerUrl)] : []),
  ]
  return email({ id: `payout-claimed:${payoutId}`, to, subject: `${money} was claimed`, parts })
}

type ReturnedPayout = Money & { payoutId: string; recipient: string }
/** The returned payouts named in one message; the page has all of them. */
const maxNamed = 10

/** Message to the sender about payouts that came back without them, which they do within the hour of the first. */
export function payoutsReturnedMessage(input: { to: string; payouts: ReturnedPayout[]; appOrigin: string }): Message {
  const { to, payouts, appOrigin } = input
  const [one, ...others] = payouts
  const nameOf = ({ recipient, ...money }: ReturnedPayout) => `${formatMoney(money)} to ${oneLine(recipient, 254)}`
  const more = payouts.length - maxNamed
  const parts = [
    paragraph('Hello,'),
    ...(others.length === 0
      ? [paragraph(`Your payout of ${nameOf(one!)} was not claimed. It is back in your wallet.`)]
      : [
          paragraph(`${payouts.length} payouts were not claimed. They are back in your wallets:`),
          ...payouts.slice(0, maxNamed).map((payout) => paragraph(nameOf(payout))),
          ...(more > 0 ? [paragraph(`And ${more} more.`)] : []),
        ]),
    link('Open payouts', `${appOrigin}/dashboard/payouts`),
  ]
  // More payouts may join those of an attempt that failed: they are another message.
  const id = `payouts-returned:${one!.payoutId}${others.length > 0 ? `:${payouts.length}` : ''}`
  const subject =
    others.length === 0 ? `${formatMoney(one!)} was returned to you` : `${payouts.length} payouts were returned to you`
  return email({ id, to, subject, parts })
}

/** The recipient's receipt, on request, once the money is at their address. */
export function payoutReceiptMessage(
  input: Money & {
    payoutId: string
    to: string
    senderName: string | null
    memo: string | null
    /** Where the money went. */
    address: string
    /** ms */
    at: number
    explorerUrl: string | null
    /** The claim link, if a passkey opens the address: it is the way to the money. */
    keptUrl: string | null
  },
): Message {
  const { payoutId, to, isTest, address, at, explorerUrl, keptUrl } = input
  const money = formatMoney(input)
  const parts = [
    paragraph('Hello,'),
    paragraph(`You received ${money}. Network fees were covered by the sender.`),
    ...words(input).map(paragraph),
    ...(keptUrl
      ? [paragraph('This link opens your money, with your passkey. Keep this mail.'), link('Open', keptUrl)]
      : []),
    paragraph(`Sent to: ${address}`),
    paragraph(`Network: ${isTest ? 'Base Sepolia (test network)' : 'Base'}`),
    paragraph(`Completed: ${utcText(at)}`),
    paragraph(`Payout: ${payoutId}`),
    ...(explorerUrl ? [link('View the transaction', explorerUrl)] : []),
    note(isTest ? testMoneyNotice : 'You asked for this receipt on the page of the payout.'),
  ]
  return email({ id: `payout-receipt:${payoutId}`, to, subject: `Receipt for ${money}`, parts })
}
