import { expect, test } from 'vitest'
import type { WalletFunds } from '#domain/policy.ts'
import { spendableOf } from '#domain/spendable.ts'
import { usdc } from '../support/build.ts'

const funds = (over: Partial<WalletFunds> = {}): WalletFunds => ({
  available: usdc('100'),
  status: 'active',
  halted: false,
  paused: false,
  session: { limit: usdc('1000'), spent: usdc('0'), held: usdc('0'), validUntil: 10 },
  ...over,
})
const session = (left: string, validUntil = 10) => ({
  limit: usdc('1000'),
  spent: usdc('900'),
  held: usdc(left),
  validUntil,
})

test.each<[string, WalletFunds, string, string, ReturnType<typeof spendableOf>]>([
  ['the whole balance', funds(), '100', '100', { now: usdc('100'), limitedBy: 'balance', arriving: usdc('0') }],
  ['an unbooked deposit', funds(), '100', '130', { now: usdc('100'), limitedBy: 'balance', arriving: usdc('30') }],
  [
    'part of the balance held',
    funds({ available: usdc('60') }),
    '100',
    '100',
    { now: usdc('60'), limitedBy: 'balance', arriving: usdc('0') },
  ],
  [
    'a session with less left than the balance',
    funds({ session: session('60') }),
    '100',
    '100',
    { now: usdc('40'), limitedBy: 'session', arriving: usdc('0') },
  ],
  [
    'an expired session key',
    funds({ session: session('0', 4) }),
    '100',
    '100',
    { now: usdc('0'), limitedBy: 'session', arriving: usdc('0') },
  ],
  ['an unbooked withdrawal', funds(), '100', '20', { now: usdc('20'), limitedBy: 'balance', arriving: usdc('0') }],
  [
    'a paused wallet',
    funds({ paused: true }),
    '100',
    '100',
    { now: usdc('0'), limitedBy: 'balance', arriving: usdc('0') },
  ],
])('what can be spent now: %s @spendable-1', (_, wallet, booked, balance, spendable) =>
  expect(spendableOf(wallet, usdc(booked), usdc(balance), 5)).toEqual(spendable),
)
