/** The events of the sample account's month. Day 0 is thirty days ago, day 30 is today; hours are UTC. */

export const contacts = [
  {
    name: 'Open Weather Co',
    address: '0x1000000000000000000000000000000000000a01',
    description: 'Weather and climate data',
  },
  {
    name: 'Satellite Images GmbH',
    address: '0x1000000000000000000000000000000000000a02',
    description: 'Imagery by the tile',
  },
  {
    name: 'Journal Access',
    address: '0x1000000000000000000000000000000000000a03',
    description: 'Articles, one at a time',
  },
  { name: 'Ad Exchange', address: '0x1000000000000000000000000000000000000a04', description: 'Display campaigns' },
  {
    name: 'GPU Rental',
    address: '0x1000000000000000000000000000000000000a05',
    description: 'Training runs, by the hour',
  },
  { name: 'Grace Hopper', email: 'grace@bursar.test', description: 'Reviews our compilers' },
  { name: 'Alan Turing', email: 'alan@bursar.test', description: 'Puzzle prizes' },
] as const
export type ContactName = (typeof contacts)[number]['name']

/** USDC that arrives from outside. */
export const deposits = [
  { day: 0, hour: 8, wallet: 'Operations', amount: '1500' },
  { day: 0, hour: 8, wallet: 'Marketing', amount: '600' },
  { day: 12, hour: 10, wallet: 'Operations', amount: '1200' },
  { day: 24, hour: 9, wallet: 'Marketing', amount: '400' },
] as const
export type WalletName = 'Operations' | 'Marketing'

const [toContacts, byEmail, purchases] = ['contact_payments:write', 'email_payments:write', 'x402_payments:write']
export const groups = [
  {
    name: 'Research',
    wallet: 'Operations',
    mayPay: ['Open Weather Co', 'Satellite Images GmbH', 'Journal Access', 'GPU Rental'],
    body: {
      spendLimit: 900,
      scopes: [toContacts, purchases],
      maxPayment: '80',
      periodBudget: { period: 'week', limit: '250' },
    },
    agents: [
      { name: 'Scout', memo: 'Buys weather and satellite data' },
      { name: 'Librarian', memo: 'Pays for articles' },
    ],
  },
  {
    name: 'Customer refunds',
    wallet: 'Operations',
    mayPay: [],
    body: { spendLimit: 800, scopes: [byEmail], maxPayment: '100', maxUnclaimed: '300' },
    agents: [{ name: 'Refund desk', memo: 'Refunds orders by email' }],
  },
  {
    name: 'Advertising',
    wallet: 'Marketing',
    mayPay: ['Ad Exchange'],
    body: { spendLimit: 500, scopes: [toContacts], periodBudget: { period: 'day', limit: '60' } },
    agents: [
      { name: 'Ad buyer', memo: 'Bids for display ads' },
      { name: 'Old ad buyer', memo: 'Replaced in the second week' },
    ],
  },
] as const
export type AgentName = (typeof groups)[number]['agents'][number]['name']

type Payment = [day: number, hour: number, agent: AgentName, amount: string, to: ContactName, memo: string]
export const payments: Payment[] = [
  [1, 9, 'Scout', '18.40', 'Open Weather Co', 'Weather data, week 1'],
  [1, 9, 'Librarian', '12.00', 'Journal Access', 'Two articles on soil moisture'],
  [1, 14, 'Old ad buyer', '35.00', 'Ad Exchange', 'Campaign A'],
  [2, 10, 'Scout', '62.00', 'Satellite Images GmbH', 'Tiles 31–38'],
  [3, 9, 'Librarian', '6.00', 'Journal Access', 'Article on drought indices'],
  [3, 9, 'Old ad buyer', '41.50', 'Ad Exchange', 'Campaign A'],
  [5, 11, 'Scout', '24.75', 'GPU Rental', 'Small training run'],
  [6, 16, 'Old ad buyer', '58.20', 'Ad Exchange', 'Campaign A, weekend'],
  [8, 9, 'Scout', '18.40', 'Open Weather Co', 'Weather data, week 2'],
  [8, 9, 'Librarian', '18.00', 'Journal Access', 'Three articles on crops'],
  [9, 13, 'Scout', '75.00', 'GPU Rental', 'Training run'],
  [10, 10, 'Ad buyer', '22.00', 'Ad Exchange', 'Campaign B, test'],
  [11, 15, 'Scout', '46.50', 'Satellite Images GmbH', 'Tiles 39–44'],
  [13, 9, 'Ad buyer', '48.00', 'Ad Exchange', 'Campaign B'],
  [14, 11, 'Librarian', '6.00', 'Journal Access', 'Article on irrigation'],
  [15, 9, 'Scout', '18.40', 'Open Weather Co', 'Weather data, week 3'],
  [15, 9, 'Ad buyer', '52.30', 'Ad Exchange', 'Campaign B'],
  [17, 14, 'Scout', '31.00', 'Satellite Images GmbH', 'Tiles 45–48'],
  [18, 10, 'Ad buyer', '44.10', 'Ad Exchange', 'Campaign B'],
  [20, 9, 'Librarian', '24.00', 'Journal Access', 'Four articles on yield models'],
  [21, 16, 'Scout', '66.00', 'GPU Rental', 'Training run, repeated'],
  [22, 9, 'Scout', '18.40', 'Open Weather Co', 'Weather data, week 4'],
  [23, 11, 'Ad buyer', '57.80', 'Ad Exchange', 'Campaign C'],
  [25, 10, 'Librarian', '12.00', 'Journal Access', 'Two articles on pests'],
  [26, 13, 'Scout', '39.90', 'Satellite Images GmbH', 'Tiles 49–53'],
  [27, 9, 'Ad buyer', '39.00', 'Ad Exchange', 'Campaign C'],
  [28, 15, 'Scout', '27.50', 'GPU Rental', 'Evaluation'],
  [29, 9, 'Scout', '18.40', 'Open Weather Co', 'Weather data, week 5'],
  [29, 9, 'Ad buyer', '45.25', 'Ad Exchange', 'Campaign C'],
  [29, 14, 'Librarian', '6.00', 'Journal Access', 'Article on forecasts'],
]

/** Purchases from a seller that speaks x402; amounts in micro-USDC. */
export const bought: [day: number, hour: number, agent: AgentName, amount: number, what: string][] = [
  [6, 10, 'Librarian', 120_000, 'abstracts'],
  [12, 13, 'Scout', 50_000, 'elevation'],
  [19, 9, 'Librarian', 280_000, 'figures'],
  [28, 11, 'Scout', 50_000, 'elevation'],
]

/** Payments that a policy refuses. */
export const refusals: Payment[] = [
  [4, 10, 'Scout', '120.00', 'GPU Rental', 'Large training run'], // above the limit for one payment
  [11, 15, 'Scout', '30.00', 'Ad Exchange', 'Banner for our data set'], // not one of its contacts
  [23, 12, 'Ad buyer', '30.00', 'Ad Exchange', 'Campaign C, more'], // the day is used up
  [29, 15, 'Ad buyer', '25.00', 'Ad Exchange', 'Campaign C, more'],
]

/**
 * `ends` is how it ends. A payout that is never claimed returns to its wallet when it expires. One fails because Base mines
 * no block for an hour, so that its money can no longer arrive; nothing else happens in that hour.
 */
type Payout = {
  day: number
  hour: number
  /** An agent pays by email; the owner sends from a wallet. */
  from: { agent: AgentName } | { wallet: WalletName }
  email: string
  amount: string
  memo: string
  expiresInDays?: 7 | 30
  ends: { claimedOn: number } | { reclaimedOn: number } | 'expires' | 'waits' | 'fails'
}
type Row = [day: number, hour: number, name: string, amount: string, memo: string, ends: Payout['ends']]

const payoutOf =
  (from: Payout['from'], expiresInDays?: 7 | 30) =>
  (...[day, hour, name, amount, memo, ends]: Row): Payout => ({
    ...{ day, hour, from, email: `${name}@bursar.test`, amount, memo, ends },
    ...(expiresInDays && { expiresInDays }),
  })
const refund = payoutOf({ agent: 'Refund desk' })
const forAWeek = payoutOf({ wallet: 'Operations' }, 7)
const forAMonth = payoutOf({ wallet: 'Operations' }, 30)

export const payouts: Payout[] = [
  refund(2, 11, 'ada', '19.90', 'Order 1042', { claimedOn: 2 }),
  refund(4, 9, 'edsger', '64.00', 'Order 1057', { claimedOn: 6 }),
  forAWeek(5, 15, 'alan', '50.00', 'Puzzle of the month', { claimedOn: 9 }),
  forAWeek(7, 10, 'john', '25.00', 'Survey, group 1', 'expires'),
  refund(9, 16, 'barbara', '32.50', 'Order 1088', { claimedOn: 10 }),
  forAWeek(12, 15, 'leslie', '25.00', 'Survey, group 2', 'fails'),
  refund(13, 14, 'donald', '14.20', 'Order 1101', { reclaimedOn: 18 }),
  forAMonth(16, 9, 'grace', '120.00', 'Compiler review', { claimedOn: 17 }),
  refund(19, 11, 'radia', '48.75', 'Order 1123', { claimedOn: 20 }),
  refund(22, 10, 'niklaus', '22.00', 'Order 1130', { claimedOn: 22 }),
  refund(26, 9, 'tony', '75.00', 'Order 1144', 'waits'),
  forAMonth(28, 17, 'margaret', '40.00', 'Travel costs', 'waits'),
  refund(29, 16, 'frances', '18.60', 'Order 1152', 'waits'),
]

/** Changes that the owner makes. */
export const changes = [
  { day: 10, hour: 9, change: 'pause', agent: 'Old ad buyer' },
  { day: 15, hour: 8, change: 'renew', wallet: 'Operations', limit: '3000' },
  { day: 21, hour: 9, change: 'renew', wallet: 'Marketing', limit: '1500' },
  { day: 23, hour: 10, change: 'topUp', group: 'Advertising', amount: '300' },
] as const
