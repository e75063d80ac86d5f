import { find } from 'linkifyjs'
import { describe, expect, test } from 'vitest'
import * as account from '../../worker/notifications/accountMessages.ts'
import { email, link, paragraph, secret } from '../../worker/notifications/email.ts'
import * as owner from '../../worker/notifications/ownerMessages.ts'
import * as payout from '../../worker/notifications/payoutMessages.ts'

const hostile = `Zoë <script>alert("1")</script> & 'Co' https://a.co www.b.io c.io/x d@e.com ${'x'.repeat(80)}\r\nBcc: all@example.com`
const person = { userId: 'user_1', to: 'ann@example.com', name: hostile, appOrigin: 'https://bursar.example', now: 0 }
const money = { payoutId: 'pay_1', to: 'ann@example.com', amount: '12.5', isTest: true, recipient: hostile }
const toRecipient = {
  ...money,
  id: 'm',
  channel: 'email' as const,
  senderName: hostile,
  memo: hostile,
  claimUrl: 'https://bursar.example/claim/a?b="c"&d',
  code: '012345',
  expiresAt: 0,
}
const group = {
  id: 'm',
  to: 'ann@example.com',
  group: hostile,
  limit: '10',
  remaining: '2',
  isTest: false,
  appOrigin: 'https://b.example',
}

const month = {
  month: '2026-02',
  startsAt: Date.UTC(2026, 1, 1),
  spent: '12.5',
  payments: 3,
  spenders: [{ name: hostile, payments: 2, spent: '12' }],
}

const messages = {
  'the month': owner.monthMessage({
    to: 'ann@example.com',
    userId: 'usr_1',
    report: month,
    isTest: false,
    appOrigin: 'https://b.example',
  }),
  'the temporary password': account.temporaryPasswordMessage({ ...person, password: 'abcd-efgh' }),
  'the confirmation code': account.confirmationCodeMessage({ ...person, code: '012345', linkToken: 'a-token' }),
  'the reset code': account.resetCodeMessage({ ...person, code: '012345', linkToken: 'a-token' }),
  'the second sign-up': account.alreadyRegisteredMessage(person),
  'the changed password': account.passwordChangedMessage(person),
  'the payout': payout.payoutLinkMessage(toRecipient),
  'the reminder': payout.payoutReminderMessage(toRecipient),
  'the receipt': payout.payoutReceiptMessage({
    ...money,
    senderName: 'Ada',
    memo: 'Thanks',
    address: '0x1',
    at: 0,
    explorerUrl: null,
    keptUrl: 'https://b.example/claim/a-token',
  }),
  'the claim': payout.payoutClaimedMessage({ ...money, explorerUrl: 'https://basescan.org/tx/0x1' }),
  'the return': payout.payoutsReturnedMessage({ to: money.to, payouts: [money], appOrigin: 'https://b.example' }),
  'the returns': payout.payoutsReturnedMessage({
    to: money.to,
    payouts: [money, money],
    appOrigin: 'https://b.example',
  }),
  'the budget': owner.budgetMessage({ ...group, percent: 90 }),
  'the used budget': owner.budgetMessage({ ...group, percent: 100 }),
  'the halted wallet': owner.walletHaltedMessage({
    ...person,
    walletId: 'w',
    address: '0x1',
    halt: 'books',
    walletKind: 'smart',
  }),
  'the changes': owner.changesMessage({
    ...person,
    id: 'changes:usr_1:7',
    changes: [{ text: hostile, detail: hostile, at: 0 }],
    more: 2,
  }),
  'the wallet’s purchase allowance': owner.refillRefusedMessage({
    ...group,
    walletId: 'w',
    wallet: hostile,
    why: 'Rotate the session key.',
    agents: [hostile],
  }),
}

/** The visible text of the HTML in one line, without the wordmark. */
function visibleText(html: string): string {
  const body = html.slice(html.indexOf('<body')).replace(/<td aria-hidden="true".*?<\/td>/s, '')
  const plain = body.replace(/<\/(p|a|td)>/g, ' ').replace(/<[^>]*>/g, '')
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return inOneLine(plain.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!))
}
const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

describe.each(Object.entries(messages))('the email about %s @messages-10', (_, { text, html, subject }) => {
  test('says the same in text and in HTML', () => {
    // The colon after a link's label is the text's substitute for a button.
    expect(visibleText(html!)).toBe(inOneLine(text.replace(/:\n(?=https?:)/g, '\n')))
  })

  test('escapes user input and loads nothing', () => {
    expect(html).not.toMatch(/<script|<img|url\(|@import|<link/i)
    expect(html).toContain('<title>')
    expect(`${subject}${text}`).not.toContain('\r')
    for (const [, url] of html!.matchAll(/href="([^"]*)"/g)) expect(url).toMatch(/^https:\/\//)
  })
})

test('nothing that a user wrote can become a link; the only ones are ours, each alone on its line @messages-17', () => {
  const sms = { ...toRecipient, channel: 'sms' as const }
  const texts = [payout.payoutLinkMessage(sms), payout.payoutReminderMessage(sms)]
  for (const { subject, text, html } of [...Object.values(messages), ...texts]) {
    const [own, other] = split([subject, ...text.split('\n')], (line) => /^https:\/\/\S+$/.test(line))
    for (const url of own) expect(url).toMatch(/^https:\/\/(?:bursar\.example|b\.example|basescan\.org)\//)
    for (const line of other) expect([line, find(line)]).toEqual([line, []])
    const hrefs = [...(html ?? '').matchAll(/href="([^"]*)"/g)].map(([, url]) =>
      url!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    )
    if (html) expect(hrefs).toEqual(own)
  }
  expect(messages['the payout'].text).toContain('https[:]//a[.]co www[.]b[.]io c[.]io/x d[@]e[.]com')
})

const split = (lines: string[], isFirst: (line: string) => boolean) =>
  [lines.filter(isFirst), lines.filter((line) => !isFirst(line))] as const

test('messages about test money name Test USDC in every line with an amount @messages-15', () => {
  const sms = { ...toRecipient, channel: 'sms' as const }
  const all = [
    ...Object.entries(messages).flatMap(([name, message]) =>
      /payout|reminder|claim|return/.test(name) ? message : [],
    ),
    payout.payoutLinkMessage(sms),
    payout.payoutReminderMessage(sms),
    owner.budgetMessage({ ...group, percent: 90, isTest: true }),
    owner.budgetMessage({ ...group, percent: 100, isTest: true }),
  ]
  expect(all).toHaveLength(9)
  for (const { subject, text } of all) {
    expect(`${subject}\n${text}`).toContain('Test USDC')
    expect(`${subject}\n${text}`).not.toMatch(/(?<!Test )USDC/)
  }
})

test('no email begins with text from a user, and none to an address that is not confirmed has it in its subject @messages-16', () => {
  for (const [name, { subject, text, html }] of Object.entries(messages)) {
    expect(text.split('\n')[0], name).toBe('Hello,')
    expect(visibleText(html!), name).toMatch(/^Hello, /)
    if (!/budget|wallet/.test(name)) expect(subject, name).not.toContain('Zoë')
    if (!/payout|reminder|receipt|claim|return|budget|wallet|month|changes/.test(name))
      expect(text, name).not.toContain('Zoë')
  }
  for (const message of [payout.payoutLinkMessage, payout.payoutReminderMessage]) {
    const { subject, text } = message({ ...toRecipient, channel: 'sms' })
    expect(`${subject} ${text.split('\n')[0]}`).not.toContain('Zoë')
    expect(
      message(toRecipient)
        .text.match(/^.*Zoë.*$/gm)
        ?.every((line) => /^(Sender|Note): "[^"]*"$/.test(line)),
    ).toBe(true)
  }
})

test('codes, passwords and URLs stand alone on their line of a text email', () => {
  const { text } = email({
    id: 'm',
    to: 'a@example.com',
    subject: 's',
    parts: [paragraph('Your code:'), secret('012345'), link('Open', 'https://bursar.example')],
  })
  expect(text).toBe('Your code:\n\n012345\n\nOpen:\nhttps://bursar.example')
})
