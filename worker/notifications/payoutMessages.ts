import { utcText } from '#domain/utcText.ts'
import { email, link, note, paragraph, secret } from './email.ts'
import { formatMoney, lines, oneLine, quoted, testMoneyNotice, usdcInWords } from './format.ts'
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
    const text = lines(
      `${subject} with Bursar.`,
      ...words({ senderName }),
      `Claim it by ${utcText(expiresAt)}:`,
      claimUrl,
      'Your code:',
      code,
      ...(isTest ? [testMoneyNotice] : []),
    )
    return { id, payoutId, to, channel, subject, text }
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
    const text = lines(waiting, ...words(input), claimUrl, ...(isTest ? [testMoneyNotice] : []), hint)
    return { id, payoutId, to, channel, subject, text }
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

/** Message to the sender, once the money is back in the wallet. */
export function payoutReturnedMessage(
  input: Money & { payoutId: string; to: string; recipient: string; reason: 'reclaimed' | 'not_claimed' },
): Message {
  const { payoutId, to, recipient, reason } = input
  const money = formatMoney(input)
  const explanation = reason === 'reclaimed' ? 'You reclaimed it.' : 'It was not claimed in time.'
  const parts = [
    paragraph('Hello,'),
    paragraph(`Your payout of ${money} to ${oneLine(recipient, 254)} is back in your wallet. ${explanation}`),
  ]
  return email({ id: `payout-returned:${payoutId}`, to, subject: `${money} was returned to you`, parts })
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
  },
): Message {
  const { payoutId, to, isTest, address, at, explorerUrl } = input
  const money = formatMoney(input)
  const parts = [
    paragraph('Hello,'),
    paragraph(`You received ${money}. Network fees were covered by the sender.`),
    ...words(input).map(paragraph),
    paragraph(`Sent to: ${address}`),
    paragraph(`Network: ${isTest ? 'Base Sepolia (test network)' : 'Base'}`),
    paragraph(`Completed: ${utcText(at)}`),
    paragraph(`Payout: ${payoutId}`),
    ...(explorerUrl ? [link('View the transaction', explorerUrl)] : []),
    note(isTest ? testMoneyNotice : 'You asked for this receipt on the page of the payout.'),
  ]
  return email({ id: `payout-receipt:${payoutId}`, to, subject: `Receipt for ${money}`, parts })
}
