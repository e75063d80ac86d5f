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

const [toContacts, byEmail] = ['contact_payments:write', 'email_payments:write']
export const groups = [
  {
    name: 'Research',
    wallet: 'Operations',
    mayPay: ['Open Weather Co', 'Satellite Images GmbH', 'Journal Access', 'GPU Rental'],
    body: { spendLimit: 900, scopes: [toContacts], maxPayment: '80', periodBudget: { period: 'week', limit: '250' } },
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
const refunds = { agent: 'Refund desk' } as const
export const payouts: Payout[] = [
  {
    day: 2,
    hour: 11,
    from: refunds,
    email: 'ada@bursar.test',
    amount: '19.90',
    memo: 'Order 1042',
    ends: { claimedOn: 2 },
  },
  {
    day: 4,
    hour: 9,
    from: refunds,
    email: 'edsger@bursar.test',
    amount: '64.00',
    memo: 'Order 1057',
    ends: { claimedOn: 6 },
  },
  {
    day: 5,
    hour: 15,
    from: { wallet: 'Operations' },
    email: 'alan@bursar.test',
    amount: '50.00',
    memo: 'Puzzle of the month',
    expiresInDays: 7,
    ends: { claimedOn: 9 },
  },
  {
    day: 7,
    hour: 10,
    from: { wallet: 'Operations' },
    email: 'john@bursar.test',
    amount: '25.00',
    memo: 'Survey, group 1',
    expiresInDays: 7,
    ends: 'expires',
  },
  {
    day: 9,
    hour: 16,
    from: refunds,
    email: 'barbara@bursar.test',
    amount: '32.50',
    memo: 'Order 1088',
    ends: { claimedOn: 10 },
  },
  {
    day: 12,
    hour: 15,
    from: { wallet: 'Operations' },
    email: 'leslie@bursar.test',
    amount: '25.00',
    memo: 'Survey, group 2',
    expiresInDays: 7,
    ends: 'fails',
  },
  {
    day: 13,
    hour: 14,
    from: refunds,
    email: 'donald@bursar.test',
    amount: '14.20',
    memo: 'Order 1101',
    ends: { reclaimedOn: 18 },
  },
  {
    day: 16,
    hour: 9,
    from: { wallet: 'Operations' },
    email: 'grace@bursar.test',
    amount: '120.00',
    memo: 'Compiler review',
    expiresInDays: 30,
    ends: { claimedOn: 17 },
  },
  {
    day: 19,
    hour: 11,
    from: refunds,
    email: 'radia@bursar.test',
    amount: '48.75',
    memo: 'Order 1123',
    ends: { claimedOn: 20 },
  },
  {
    day: 22,
    hour: 10,
    from: refunds,
    email: 'niklaus@bursar.test',
    amount: '22.00',
    memo: 'Order 1130',
    ends: { claimedOn: 22 },
  },
  { day: 26, hour: 9, from: refunds, email: 'tony@bursar.test', amount: '75.00', memo: 'Order 1144', ends: 'waits' },
  {
    day: 28,
    hour: 17,
    from: { wallet: 'Operations' },
    email: 'margaret@bursar.test',
    amount: '40.00',
    memo: 'Travel costs',
    expiresInDays: 30,
    ends: 'waits',
  },
  {
    day: 29,
    hour: 16,
    from: refunds,
    email: 'frances@bursar.test',
    amount: '18.60',
    memo: 'Order 1152',
    ends: 'waits',
  },
]

/** Changes that the owner makes. */
export const changes = [
  { day: 10, hour: 9, change: 'pause', agent: 'Old ad buyer' },
  { day: 15, hour: 8, change: 'renew', wallet: 'Operations', limit: '3000' },
  { day: 21, hour: 9, change: 'renew', wallet: 'Marketing', limit: '1500' },
  { day: 23, hour: 10, change: 'topUp', group: 'Advertising', amount: '300' },
] as const
