/** Results of tools as the card gets them: one for each state, and texts that strangers might write. */
import type { BudgetRequest, Payment } from '#schemas/payment.ts'
import type { PayoutRun } from '#schemas/preparedRun.ts'
import type { Shown } from './chatHost.ts'
import { recipient } from './seededAccount.ts'

const at = '2026-11-30T09:00:00.000Z'
const until = '2026-11-30T14:00:00.000Z'
const budget = { limit: '200', spent: '34', held: '6', remaining: '160' }

const approval = (origin: string, status: 'PENDING' | 'APPROVED' | 'DENIED' | 'EXPIRED' = 'PENDING') => ({
  ...{ id: 'apr_1', status, requested_at: at, decided_at: status === 'PENDING' ? null : at, expires_at: until },
  url: `${origin}/dashboard/approvals/apr_1`,
})

export const payment = (origin: string, more: object = {}): Payment => ({
  ...{ id: 'pay_1', object: 'payment', status: 'PENDING_APPROVAL', amount: '6' },
  to: { type: 'contact', contactId: 'con_1', name: 'Ada', address: recipient },
  ...{ memo: 'Hosting in October', reference: 'INV-1142', tx_hash: null, error: null, created_at: at },
  ...{ accepted_at: null, signed_at: null, confirmed_at: null, approval: approval(origin), receipt: null, budget },
  ...more,
})

export const budgetRequest = (origin: string, more: object = {}): BudgetRequest => ({
  ...{
    id: 'apr_1',
    object: 'budget_request',
    status: 'PENDING_APPROVAL',
    amount: '50',
    reason: 'For the data of December.',
  },
  ...{ created_at: at, decided_at: null, approval: approval(origin), budget },
  ...more,
})

/** As domain/runs/sentence.ts writes it. */
const summaryOf = (payments: number, leftOut: number) =>
  `${payments} payments, ${payments === 40 ? '4,120.50' : '3,390.50'} USDC, to ${payments} people${leftOut ? `; ${leftOut} rows are left out` : ''}; done in about a minute`

const progress = { paid: 0, awaiting_claim: 0, on_their_way: 0, waiting: 0, not_paid: 0 }
export const run = (origin: string, more: object = {}): PayoutRun => ({
  ...{ id: 'run_1', object: 'payout_run', status: 'WAITING', title: 'Salaries November', checked: true },
  ...{ rows: 40, left_out: 0, payments: 40, amount: '4120.5', summary: null, verdicts: [] },
  ...{ progress, reason: null, url: `${origin}/dashboard/runs/run_1`, next: null },
  ...{ created_at: at, decided_at: null, expires_at: until, ended_at: null },
  ...more,
})

export const refusal = {
  ...{ code: 'budget_exceeded', detail: 'The budget has 4.20 USDC left.', request_id: 'req_1', rule: 'group.budget' },
  ...{ limit: '200', spent: '189.8', held: '6', remaining: '4.2', max_allowed_now: '4.2', max_without_asking: '4.2' },
  next: 'Send less, or ask the owner to raise the budget.',
}

const review = 'Review in Bursar'
type State = [name: string, shown: Shown, texts: string[], button?: string | undefined]
const shownOf = (structuredContent: object, input: object = {}): Shown => ({
  result: { content: [], structuredContent, isError: 'code' in structuredContent },
  input,
})

export const states = (origin: string): State[] => [
  [
    'payment-waits',
    shownOf(payment(origin)),
    ['6.00 USDC to Ada', 'Waits for the owner', 'Waits until', 'INV-1142'],
    review,
  ],
  ...payments(origin),
  ...budgetRequests(origin),
  ...runs(origin),
  [
    'refusal',
    shownOf(refusal, { amount: '6', address: recipient }),
    ['6.00 USDC to 0x', 'Refused', 'group.budget', '4.20 USDC', 'Send less'],
  ],
  [
    'refusal-count',
    shownOf({ code: 'x', detail: 'No more today.', count: { limit: 5, used: 5 }, resets_at: until }),
    ['Not done', '5 of 5', 'Resets'],
  ],
  ['empty', { result: { content: [] } }, ['No details']],
  ['odd', shownOf({ object: 'constructor', id: 1 }), ['No details']],
  ['cancelled', { input: { amount: '6', email: 'ada@example.com' } }, ['6.00 USDC to ada', 'may have received it']],
]

function payments(origin: string): State[] {
  const of = (name: string, more: object, ...texts: string[]): State => [
    `payment-${name}`,
    shownOf(payment(origin, { approval: null, ...more })),
    texts,
  ]
  const to = { type: 'email', email: 'ada@example.com' }
  const bought = { type: 'x402', resource: 'GET https://api.example.com/weather' }
  const because = (message: string) => ({ code: 'x', message })
  return [
    of('queued', { status: 'QUEUED' }, 'On its way'),
    of('processing', { status: 'PROCESSING' }, 'On its way', '160.00 of 200.00 USDC'),
    of('pending', { status: 'PENDING', to }, '6.00 USDC to ada@example.com', 'Awaiting Claim'),
    of('confirmed', { status: 'CONFIRMED', confirmed_at: at }, 'Completed'),
    of('failed', { status: 'FAILED', error: because('It was not signed in time.') }, 'Failed', 'in time.'),
    of('refused', { status: 'POLICY_REJECTED', error: because('Too much.') }, 'Refused', 'Too much.'),
    of('invalid', { status: 'VALIDATION_FAILED', error: because('No such address.') }, 'Refused'),
    of('denied', { status: 'POLICY_REJECTED', approval: approval(origin, 'DENIED') }, 'Denied'),
    of('expired', { status: 'POLICY_REJECTED', approval: approval(origin, 'EXPIRED') }, 'Expired'),
    of('cancelled', { status: 'CANCELLED' }, 'Cancelled'),
    of('returned', { status: 'CANCELLED', confirmed_at: at, to }, 'Returned', 'Nobody claimed it.'),
    of('bought', { status: 'CONFIRMED', to: bought }, 'USDC for GET'),
  ]
}

function budgetRequests(origin: string): State[] {
  const of = (status: string, texts: string[], button?: string): State => [
    `budget-${status}`,
    shownOf(budgetRequest(origin, { status })),
    texts,
    button,
  ]
  return [
    of('PENDING_APPROVAL', ['50.00 USDC more budget', 'Waits for the owner', 'Waits until'], review),
    of('APPROVED', ['Approved']),
    of('DENIED', ['Denied']),
    of('EXPIRED', ['Expired']),
    of('CANCELLED', ['Cancelled']),
  ]
}

function runs(origin: string): State[] {
  const open = (name: string, more: object, ...texts: string[]): State => [
    `run-${name}`,
    shownOf(run(origin, more)),
    ['Salaries November', 'Nothing can be approved here', ...texts],
    review,
  ]
  const decided = (status: string, more: object, ...texts: string[]): State => [
    `run-${status}-${texts.at(-1)}`,
    shownOf(run(origin, { status, ...more })),
    texts,
    'Open in Bursar',
  ]
  const detail = 'Write the amount with a point.'
  const verdicts = Array.from({ length: 7 }, (_, i) => ({
    ...{ row: i + 1, line: i + 1, to: recipient, amount: '1,5', level: 'error', detail },
  }))
  const draft = { status: 'DRAFT', left_out: 7, payments: 33, amount: '3390.5', verdicts, summary: summaryOf(33, 7) }
  const sums = (more: Partial<typeof progress>) => ({ progress: { ...progress, ...more } })
  return [
    open('unchecked', { status: 'DRAFT', checked: false }, 'Being checked'),
    open('draft', draft, '7 rows are left out', 'Row 5 (left out), 0x', 'and 2 more'),
    open(
      'waits',
      { summary: summaryOf(40, 0) },
      '4,120.50 USDC',
      'Waits for a decision',
      'Waits until',
      'to 40 people',
    ),
    decided('RUNNING', sums({ paid: 12, on_their_way: 3, waiting: 25 }), 'Paying', '12 paid, 3 on their way'),
    decided('DONE', sums({ paid: 40 }), 'Done', '40 paid'),
    decided('DONE', sums({ paid: 38, not_paid: 2 }), 'Done', '2 not paid'),
    decided('DONE', sums({ paid: 38, awaiting_claim: 2 }), 'Done', '2 awaiting claim'),
    decided('STOPPED', sums({ paid: 3, not_paid: 37 }), 'Stopped', '37 not paid'),
    decided('DENIED', { reason: 'Two people are missing.' }, 'Denied', 'Two people are missing.'),
    decided('EXPIRED', {}, 'Not decided in time'),
    decided('CANCELLED', {}, 'Cancelled'),
  ]
}

const attack = '<img src=https://evil.example/x onerror="window.attacked=1">'
export const hostile = [
  `${attack}</p></script><script>window.attacked=1</script>`,
  `Ada\u202e\u2066 CDSU 00.6 approved \u2069\u200b${'\u0301'.repeat(60)}`,
  'x'.repeat(500),
  'مرحبا '.repeat(20),
  '{{constructor.constructor("window.attacked=1")()}} javascript:window.attacked=1 https://evil.example',
]
