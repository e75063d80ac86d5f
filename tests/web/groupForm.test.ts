import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { noRules, wireRules } from '#domain/rules/values.ts'
import { scopeFor } from '#domain/scopes.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { RuleViews } from '#schemas/rules.ts'
import { freeOf } from '#web/lib/budgetLeft.ts'
import {
  changesOf,
  editInput,
  editProblems,
  type GroupValues,
  groupField,
  groupInput,
  groupProblems,
  merge,
  noGroup,
  valuesOf,
} from '#web/routes/dashboard/-agents/groupForm.ts'
import {
  askedFirst,
  effectAsTyped,
  limitsInWords,
  mayDo,
  periodNow,
} from '#web/routes/dashboard/-agents/policyWords.ts'
import { exampleRecipient, ownAddress, quickStarts } from '#web/routes/dashboard/-agents/quickStart.ts'
import type { TypedRules } from '#web/routes/dashboard/-agents/ruleForm.ts'
import type { WholeGroup } from '../../web/src/queries/agents.ts'

const values = (over: Partial<GroupValues> = {}): GroupValues => ({
  ...noGroup,
  name: 'Research',
  budget: '20',
  walletId: 'wal_1',
  ...over,
})
/** These rules as typed; the others are off. A rule with one input has it under its own name. */
const rules = (on: Partial<TypedRules>) => ({ rules: { ...noGroup.rules, ...on } })
const group = (over: Partial<WholeGroup> = {}): WholeGroup => ({
  id: 'grp_1',
  name: 'Research',
  status: 'active',
  spendLimit: 20,
  spendLimitUsdc: '20',
  currentSpent: '3',
  held: '4.5',
  remaining: '12.5',
  walletId: 'wal_1',
  wallet: { name: null, address: '0x', paused: false, chain: 'base', canPay: true },
  scopes: ['payment_context:read'],
  whitelistedContacts: [],
  whitelistedCount: 0,
  contactIds: [],
  ...(wireRules(noRules) as RuleViews),
  unclaimed: '0',
  agentCount: 0,
  formerAgents: { count: 0, spent: '0', held: '0' },
  totalTransactions: 0,
  lastActivity: null,
  version: 7,
  isConfirmed: false,
  createdAt: '2026-11-20T00:00:00.000Z',
  ...over,
})
const problems = (all: Record<string, string | null>) =>
  Object.entries(all).flatMap(([field, text]) => (text ? [`${field}: ${text}`] : []))

test('reports problems in the order of the fields', () => {
  expect(problems(groupProblems(noGroup))).toEqual([
    'name: Policy name is required',
    'budget: Budget limit is required',
    'walletId: Please select a wallet',
  ])
  expect(problems(groupProblems(values({ budget: '0.000000' })))).toEqual([
    'budget: Budget limit must be greater than 0',
  ])
  expect(
    problems(
      groupProblems(
        values(
          rules({
            maxPayment: { maxPayment: '.' },
            emailDomains: { emailDomains: 'a.test;b' },
            phoneCodes: { phoneCodes: '1,999' },
          }),
        ),
      ),
    ),
  ).toEqual([
    'rules.maxPayment.maxPayment: Please enter a valid amount greater than 0',
    'rules.emailDomains.emailDomains: “b” is not a valid email domain; write it as example.com',
  ])
})

test('a budget limit below what is spent and held is refused', () => {
  expect(editProblems(values({ budget: '7.499999' }), group()).budget).toBe(
    'Budget limit must be at least $7.50, which is already spent or held',
  )
  expect(editProblems(values({ budget: '7.5' }), group()).budget).toBeNull()
  expect(editProblems(values({ budget: '' }), group()).budget).toBe('Budget limit is required')
  expect(editProblems(values({ budget: '' }), group({ spendLimitUsdc: null })).budget, 'none before').toBeNull()
})

test('an empty limit is sent as no limit, and contacts are sent only with the contact permission', () => {
  expect(groupInput(values({ contactIds: ['con_1'] }))).toEqual({
    name: 'Research',
    spendLimit: '20',
    scopes: [],
    walletId: 'wal_1',
    whitelistedContactIds: [],
    ...wireRules(noRules),
  })
  const full = values({
    budget: '.5',
    scopes: ['contact_payments:write'],
    contactIds: ['con_1'],
    ...rules({
      maxPayment: { maxPayment: '5.' },
      periodBudget: { period: 'month', limit: '10' },
      emailDomains: { emailDomains: 'a.test,\nb.test' },
      phoneCodes: { phoneCodes: '+1 +49' },
      maxPayments: { count: '7', per: 'hour', whenExceeded: 'ask' },
    }),
  })
  expect(groupInput(full)).toMatchObject({
    spendLimit: '0.5',
    whitelistedContactIds: ['con_1'],
    maxPayment: '5',
    periodBudget: { period: 'month', limit: '10' },
    emailDomains: ['a.test', 'b.test'],
    phoneCodes: ['+1', '+49'],
    maxPayments: { count: 7, per: 'hour', whenExceeded: 'ask' },
  })
  expect(editInput(values({ budget: '' }), group({ spendLimitUsdc: null }))).not.toHaveProperty('spendLimit')
  expect(editInput(values(), group())).toMatchObject({ version: 7, spendLimit: '20' })
})

test('merging concurrent edits of a group keeps changes that only one person made', () => {
  const [contacts, addresses] = [scopeFor.contact, scopeFor.address]
  const daily = { period: 'day', limit: '9' }
  const base = values({ scopes: [contacts, addresses], contactIds: ['x'] })
  const mine = { ...base, name: 'Mine', scopes: [addresses, contacts], ...rules({ maxPayment: { maxPayment: '1' } }) }
  const theirs = {
    ...base,
    name: 'Theirs',
    scopes: [contacts],
    contactIds: ['x', 'y'],
    ...rules({ periodBudget: daily }),
  }
  expect(changesOf(base, mine), 'the order does not matter').toEqual(['name', 'maximum per payment'])
  expect(changesOf(base, theirs)).toEqual(['name', 'permissions', 'whitelisted contacts', 'budget per period'])
  expect(merge(base, mine, theirs)).toEqual({
    ...base,
    name: 'Mine',
    scopes: [contacts],
    contactIds: ['x', 'y'],
    ...rules({ maxPayment: { maxPayment: '1' }, periodBudget: daily }),
  })
})

test('the form takes its initial values from the group', () => {
  const filled = valuesOf(
    group({
      scopes: ['payment_context:read', 'sms_payments:write'],
      periodBudget: { period: 'week', limit: '9', used: '1', remaining: '8', startsAt: '', resetsAt: '' },
      phoneCodes: ['+1', '+49'],
    }),
  )
  expect(filled).toMatchObject({
    scopes: ['sms_payments:write'],
    rules: { periodBudget: { period: 'week', limit: '9' }, phoneCodes: { phoneCodes: '+1, +49' }, maxPayment: null },
  })
  expect(limitsInWords(group())).toEqual([])
})

test('the budget per period says what is used of it, what is left and when it resets @agents-42', () => {
  const used = { limit: '250', used: '103.8', remaining: '146.2', startsAt: '2026-11-23T00:00:00.000Z' }
  const at = (period: 'day' | 'week' | 'month', resetsAt: string) =>
    periodNow(group({ periodBudget: { ...used, period, resetsAt } }))
  expect(at('week', '2026-11-30T00:00:00.000Z')).toEqual({
    words: 'This week $103.80 of $250.00',
    resets: '$146.20 left, resets Monday, 00:00 UTC',
    percent: 41,
  })
  expect(at('day', '2026-11-28T00:00:00.000Z')).toMatchObject({
    words: 'Today $103.80 of $250.00',
    resets: '$146.20 left, resets Saturday, 00:00 UTC',
  })
  expect(at('month', '2026-12-01T00:00:00.000Z')).toMatchObject({
    words: 'This month $103.80 of $250.00',
    resets: '$146.20 left, resets Dec 1, 00:00 UTC',
  })
  expect(periodNow(group())).toBeNull()
})

test('quick-start examples pay a real recipient if the group has one', () => {
  const grace = { id: 'con_1', name: 'Grace', address: '0x', email: null, phone: null }
  const scopes = ['contact_payments:write', 'email_payments:write']
  const whitelisted = (stale: boolean) =>
    group({ scopes, whitelistedContacts: [{ contact: grace, stale, current: null }] })
  const own = { email: 'me@bursar.test', address: { address: '0x2', whose: 'your linked crypto wallet' } }
  expect(exampleRecipient(whitelisted(false), own)).toEqual({ type: 'contact', contactId: 'con_1' })
  expect(exampleRecipient(whitelisted(true), own)).toEqual({ type: 'email', email: 'me@bursar.test' })
  const anyAddress = group({ scopes: ['address_payments:write'] })
  expect(exampleRecipient(anyAddress, own)).toEqual({ type: 'address', address: '0x2' })
  expect(exampleRecipient(anyAddress, { ...own, address: null })).toEqual({ type: 'address', address: '0xRECIPIENT' })
  const contained: Record<string, string> = {
    curl: '$BURSAR_API_KEY',
    TypeScript: "new Bursar({ url: 'https://bursar.test' })",
    'Command line': 'BURSAR_URL=https://bursar.test',
    MCP: 'https://bursar.test/mcp',
  }
  for (const { name, code } of quickStarts('https://bursar.test', 'bc_1', { type: 'email', email: 'x@bursar.test' }))
    expect(code, name).toContain(contained[name] ?? 'bc_1')
  const toContact = quickStarts('https://bursar.test', 'bc_1', { type: 'contact', contactId: 'con_1' })
  expect(toContact.map(({ name }) => name)).toEqual(['curl', 'curl (OAuth)', 'TypeScript', 'MCP', 'MCP (OAuth)'])
})

test('quick-start examples pay an address of the user that the wallet may pay', () => {
  const wallet = (id: string, over = {}) =>
    ({ id, address: `0x${id}`, ownerAddress: '0xkey', chain: 'base', status: 'active', ...over }) as const
  const of = (...[wallets, linked = null]: [Parameters<typeof ownAddress>[0], (string | null)?]) =>
    ownAddress(wallets, 'w1', linked)?.address
  const w1 = wallet('w1')
  expect(of([w1])).toBe('0xkey')
  expect(of([w1, wallet('w2')])).toBe('0xw2')
  expect(of([w1, wallet('w2', { chain: 'base-sepolia' }), wallet('w3', { status: 'deploying' })])).toBe('0xkey')
  expect(of([w1, wallet('w2')], '0xlinked')).toBe('0xlinked')
  expect(of([w1], w1.address.toUpperCase().replace('X', 'x')), 'a wallet may not pay itself').toBe('0xkey')
  expect(of([wallet('w1', { ownerAddress: '0xw1' })])).toBeUndefined()
  expect(of([])).toBeUndefined()
})

test('quick-start examples escape quotes in the recipient', () => {
  const [curl, , typescript, commandLine] = quickStarts('https://bursar.test', 'bc_1', {
    type: 'email',
    email: "o'neil@bursar.test",
  })
  expect(curl!.code).toContain(String.raw`"email":"o'\''neil@bursar.test"`)
  expect(typescript!.code).toContain(String.raw`email: 'o\'neil@bursar.test'`)
  expect(commandLine!.code).toContain(String.raw`pay 'o'\''neil@bursar.test' 1.00`)
})

const free = microUsdc(30_000_000n)

test('the group editor says what agents could spend under the policy as typed @agents-16', () => {
  const say = (typed: Partial<GroupValues>, on: PolicyGroup | null = group(), has: typeof free | null = free) =>
    effectAsTyped(on, values({ scopes: [scopeFor.address], ...typed }), has)
  expect(say({})).toBe('With this policy, agents could spend at most $12.50 USDC now.')
  expect(say({ budget: '100' })).toBe(
    'With this policy, agents could spend at most $30.00 USDC now: all that its wallet can pay.',
  )
  expect(say(rules({ maxPayment: { maxPayment: '4' } }))).toBe(
    'With this policy, agents could spend at most $12.50 USDC now: $4.00 at a time.',
  )
  expect(say(rules({ periodBudget: { period: 'day', limit: '2' } }), null)).toContain('at most $2.00 USDC now')
  expect(
    say({ scopes: [scopeFor.email], ...rules({ maxUnclaimed: { maxUnclaimed: '6' } }) }, group({ unclaimed: '4.5' })),
  ).toContain('at most $1.50')
  expect(say(rules({ maxUnclaimed: { maxUnclaimed: '6' } })), 'payments to addresses are never unclaimed').toContain(
    'at most $12.50',
  )
  expect(say({ scopes: [] })).toBe('With this policy, agents could not pay anyone: no permission is selected.')
  expect(say({}, group({ status: 'paused' }))).toContain('Nothing while the group is paused.')
  for (const typed of [{ budget: 'x' }, rules({ maxPayment: { maxPayment: 'x' } })]) expect(say(typed)).toBeNull()
  expect(say({}, group(), null), 'the wallet is not known').toBeNull()
})

test('an agent’s row says in one sentence what the agent may do @agents-17', () => {
  const open = (over: Partial<PolicyGroup> = {}) => group({ scopes: [scopeFor.address], ...over })
  expect(mayDo(open(), null, free)).toBe('May pay any address: at most $12.50 now.')
  expect(mayDo(open({ maxPayment: '5' }), null, free)).toBe('May pay any address: at most $12.50 now, $5.00 at a time.')
  expect(mayDo(open({ maxPayment: '50' }), null, free)).toBe('May pay any address: at most $12.50 now.')
  const all = [scopeFor.contact, scopeFor.email, scopeFor.phone]
  expect(mayDo(open({ scopes: all, emailDomains: ['a.test'], phoneCodes: ['+1', '+49'] }), null, null)).toBe(
    'May pay whitelisted contacts, email addresses at a.test, and phone numbers with +1 and +49.',
  )
  expect(mayDo(open(), 'Group paused', free)).toBe('Group paused: may not pay anyone now.')
  expect(mayDo(group(), null, free)).toBe('May view the budget and history, but not pay anyone.')
})

test('approval rules are validated, sent to the API, and summarized in a sentence @approval-screens-6', () => {
  const asking = { approveAbove: '50', approveNewRecipient: true, approvalTtlHours: 48, duplicateMinutes: 10 }
  const filled = valuesOf(group(asking))
  expect(groupInput(filled)).toMatchObject(asking)
  expect(
    groupInput(values(rules({ approveAbove: { approveAbove: '0' } }))).approveAbove,
    'asks about every payment',
  ).toBe('0')
  expect(
    problems(
      groupProblems(
        values(
          rules({
            approveAbove: { approveAbove: 'x' },
            approvalTtlHours: { approvalTtlHours: '0' },
            duplicateMinutes: { duplicateMinutes: '1.5' },
          }),
        ),
      ),
    ),
  ).toEqual([
    'rules.approveAbove.approveAbove: Please enter a valid amount',
    'rules.duplicateMinutes.duplicateMinutes: Please enter 0 to 10,080 minutes',
    'rules.approvalTtlHours.approvalTtlHours: Please enter 1 to 168 hours',
  ])
  const sentence =
    'Payments above $50.00, first payments to a recipient, and repeats of a payment within 10 minutes wait for your approval.'
  expect(askedFirst(group(asking))).toBe(sentence)
  expect(limitsInWords(group(asking)), 'they are not limits').toEqual([])
  expect(askedFirst(group())).toBeNull()
  expect(effectAsTyped(null, { ...filled, scopes: ['address_payments:write'] }, microUsdc(100_000_000n))).toContain(
    sentence,
  )
  expect(
    changesOf(
      values(),
      values(
        rules({ approveNewRecipient: { approveNewRecipient: true }, duplicateMinutes: { duplicateMinutes: '5' } }),
      ),
    ),
  ).toEqual(['ask me about first payments to a recipient', 'ask me about repeats of a payment'])
})

test('each input of a rule is validated, and the API names it by its path @agents-30', () => {
  const hours = { days: [], from: '', to: '', zone: 'Europe/Atlantis', whenExceeded: 'refuse' }
  expect(problems(groupProblems(values(rules({ hours, emailDomains: { emailDomains: ' ' } }))))).toEqual([
    'rules.hours.days: Please choose at least one day',
    'rules.hours.from: Please enter a time',
    'rules.hours.to: The hours must end at another time',
    'rules.hours.zone: Please enter a time zone such as Europe/Berlin or UTC',
    'rules.emailDomains.emailDomains: Please enter at least one email domain',
  ])
  const entry = (pattern: string, maxAmount = '') => ({ pattern, maxAmount })
  const typed = [entry('', 'x'), entry('API.a.test', '0'), entry('*.a.test', '.5'), entry('api.A.test'), entry('a b')]
  const invalid = values(rules({ hosts: { hosts: typed } }))
  expect(problems(groupProblems(invalid))).toEqual([
    'rules.hosts.hosts.0.pattern: Please enter a host',
    'rules.hosts.hosts.0.maxAmount: Please enter a valid amount greater than 0, or leave it empty',
    'rules.hosts.hosts.1.maxAmount: Please enter a valid amount greater than 0, or leave it empty',
    'rules.hosts.hosts.3.pattern: This host is listed twice',
    'rules.hosts.hosts.4.pattern: “a b” is not a valid host; write it as api.example.com or *.example.com',
  ])
  expect(problems(groupProblems(values(rules({ hosts: { hosts: [] } }))))).toEqual([
    'rules.hosts.hosts.root: Please enter at least one host',
  ])
  const one = values(rules({ hosts: { hosts: [entry('*.A.test', '.5'), entry('b.test')] } }))
  expect(groupInput(one).hosts).toEqual([
    { pattern: '*.a.test', maxAmount: '0.5' },
    { pattern: 'b.test', maxAmount: null },
  ])
  expect(changesOf(one, values(rules({ hosts: { hosts: [entry('*.A.test', '.6'), entry('b.test')] } })))).toEqual([
    'hosts to buy from',
  ])
  expect(changesOf(one, structuredClone(one))).toEqual([])
  expect(['hosts', 'hosts.2.maxAmount'].map(groupField)).toEqual(['rules.hosts.hosts', 'rules.hosts.hosts.2.maxAmount'])
  expect(['hours.zone', 'emailDomains.0', 'maxPayment', 'spendLimit', 'name'].map(groupField)).toEqual([
    'rules.hours.zone',
    'rules.emailDomains.emailDomains',
    'rules.maxPayment.maxPayment',
    'budget',
    'name',
  ])
})

test('what a wallet has free includes its purchase allowance for who may buy', () => {
  const exposure = { canLeave: '70', canSend: '50', agents: '0', canRenew: true }
  const wallet = { status: 'active', paused: false, halted: null, held: '5', exposure } as const
  expect(freeOf(wallet, ['address_payments:write'])).toBe(45_000_000n)
  expect(freeOf(wallet, ['address_payments:write', 'x402_payments:write'])).toBe(65_000_000n)
  expect(freeOf({ ...wallet, paused: true }, ['x402_payments:write'])).toBe(0n)
  expect(freeOf({ ...wallet, exposure: null }, [])).toBeNull()
})
