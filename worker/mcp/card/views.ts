import { runStatusText } from '#domain/runs/words.ts'

/**
 * The part of the card's script that says what a result means: its title, the state as a chip, facts, notes, and the address of
 * our page where a person can do something about it. `open`: the state may still change.
 */
export const views = `
const short = (text) => clean(text).replace(/^(0x.{4}).{32}(.{4})$/, '$1…$2')
const methodOf = ({ email, phone, address }) => clean(email, 80) || clean(phone) || short(address)
const left = ({ limit, remaining }) => usdc(limit) && usdc(remaining).replace(' USDC', '') + ' of ' + usdc(limit)
const undecided = (until) =>
  (time(until) && 'Waits until ' + time(until) + '. ') + 'Nothing can be approved here: a person decides in Bursar.'

const chips = {
  __proto__: null,
  PENDING_APPROVAL: ['Waits for the owner', 'wait'],
  QUEUED: ['On its way', 'wait'],
  PROCESSING: ['On its way', 'wait'],
  PENDING: ['Awaiting Claim', 'wait'],
  CONFIRMED: ['Completed', 'good'],
  APPROVED: ['Approved', 'good'],
  FAILED: ['Failed', 'bad'],
  POLICY_REJECTED: ['Refused', 'bad'],
  VALIDATION_FAILED: ['Refused', 'bad'],
  DENIED: ['Denied', 'bad'],
  EXPIRED: ['Expired'],
  CANCELLED: ['Cancelled'],
}
const chipOf = (status) => chips[status] ?? [clean(status)]

function payment(it) {
  const { status } = it, to = it.to ?? {}, approval = it.approval ?? {}
  const method = methodOf(to), name = clean(to.name, 60) || clean(to.resource) || method
  const isReturned = status === 'CANCELLED' && it.confirmed_at
  const isUndecided = status === 'POLICY_REJECTED' && /^(DENIED|EXPIRED)$/.test(approval.status)
  return {
    title: usdc(it.amount) + (to.resource ? ' for ' : ' to ') + name,
    chip: isReturned ? ['Returned'] : chipOf(isUndecided ? approval.status : status),
    facts: [
      ['Paid to', method !== name && method],
      ['Memo', clean(it.memo)],
      ['Reference', clean(it.reference)],
    ],
    notes: [isReturned && 'Nobody claimed it. The owner has the money back.', clean(it.error?.message)],
    open: /^(QUEUED|PROCESSING|PENDING)$/.test(status),
  }
}

const budget_request = (it) => ({
  title: usdc(it.amount) + ' more budget',
  chip: chipOf(it.status),
  facts: [['Reason', clean(it.reason)]],
  notes: [],
})

const asks = (view) => (it) => {
  const { facts, notes, ...more } = view(it), approval = it.approval ?? {}
  const waits = it.status === 'PENDING_APPROVAL'
  return {
    ...more,
    facts: [...facts, ['Budget left', left(it.budget ?? {})]],
    notes: [waits && undecided(approval.expires_at), ...notes],
    url: waits && approval.url,
    open: waits || more.open,
  }
}

const runStatus = ${JSON.stringify(runStatusText)}
const runTone = { WAITING: 'wait', RUNNING: 'wait', DENIED: 'bad' }

function payout_run(it) {
  const { status, summary } = it, done = it.progress ?? {}, verdicts = it.verdicts ?? []
  const isDraft = status === 'DRAFT', isOpen = isDraft || status === 'WAITING'
  const isUnfinished = done.not_paid > 0 || done.awaiting_claim > 0 || done.on_their_way > 0
  const tone = status === 'DONE' ? (isUnfinished ? 'wait' : 'good') : runTone[status]
  const states = ['paid', 'awaiting_claim', 'on_their_way', 'waiting', 'not_paid'].filter((each) => done[each] > 0)
  const rows = verdicts.slice(0, 5).map(({ row, level, to, detail }) =>
    'Row ' + clean(row) + (level === 'error' ? ' (left out), ' : ', ') + clean(short(to), 80) + ': ' + clean(detail))
  if (verdicts.length > 5) rows.push('and ' + (verdicts.length - 5) + ' more')
  return {
    title: usdc(it.amount) + ' for ' + clean(it.title, 80),
    chip: isDraft && !it.checked ? ['Being checked', 'wait'] : [runStatus[status] ?? clean(status), tone],
    facts: [
      ['Pays', clean(summary)],
      ['Payments', !summary && clean(it.payments)],
      ['Rows left out', !summary && it.left_out > 0 && clean(it.left_out)],
      ['State', !isOpen && states.map((each) => clean(done[each]) + ' ' + each.replaceAll('_', ' ')).join(', ')],
      ['Reason', clean(it.reason)],
    ],
    rows,
    notes: [isOpen && undecided(status === 'WAITING' && it.expires_at)],
    url: it.url,
    isDecided: !isOpen,
    open: isOpen || status === 'RUNNING' || done.awaiting_claim > 0 || done.on_their_way > 0,
  }
}

const viewOf = { __proto__: null, payment: asks(payment), budget_request: asks(budget_request), payout_run }

function askedFor() {
  const to = methodOf(input) || clean(input.resource)
  return clean(input.title, 80) || (usdc(input.amount) && usdc(input.amount) + (to && ' to ' + to)) || 'Not done'
}

const figures = {
  limit: 'Limit',
  spent: 'Spent',
  held: 'Held',
  remaining: 'Left',
  max_allowed_now: 'Possible now',
  max_without_asking: 'Without asking',
}

const refusal = (it) => ({
  title: askedFor(),
  chip: chips.POLICY_REJECTED,
  facts: [
    ['Rule', clean(it.rule)],
    ...Object.entries(figures).map(([key, name]) => [name, usdc(it[key])]),
    ['Used', it.count && clean(it.count.used) + ' of ' + clean(it.count.limit)],
    ['Resets', time(it.resets_at)],
  ],
  notes: [clean(it.detail), clean(it.next)],
})

const cancelled = () => ({
  title: askedFor(),
  chip: chips.CANCELLED,
  notes: ['The chat cancelled this call. Bursar may have received it already: look there.'],
})
`
