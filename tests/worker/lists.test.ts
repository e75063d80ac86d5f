import { beforeAll, describe, expect, test } from 'vitest'
import { encodeCursor, listSorts } from '#domain/lists.ts'
import { eachNote } from '#domain/paymentNotes.ts'
import { isSpent } from '#domain/statistics.ts'
import { minuteMs } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { inHistory, putRows } from '../support/histories.ts'
import { createApi, createUser, env, seed } from './apiClient.ts'

const api = createApi()
const start = Date.UTC(2026, 0, 1)
const statuses = ['CONFIRMED', 'FAILED', 'PENDING', 'POLICY_REJECTED', 'QUEUED', 'CANCELLED'] as const
const categories = ['address', 'contact', 'escrow', 'escrow_withdraw'] as const
const walletAddress = '0x52908400098527886E0F7030069857D2E4169EE7'

/** Ten thousand transactions and two thousand payouts of all kinds. */
const transactions = Array.from({ length: 10_000 }, (_, i): Transaction => {
  const at = new Date(start + i * minuteMs).toISOString()
  const category = categories[i % categories.length]!
  return {
    id: `pay_list${String(i).padStart(6, '0')}`,
    category,
    status: statuses[i % statuses.length]!,
    amountUsdc: String((i % 500) + 1),
    createdAt: at,
    agentId: i % 3 === 0 ? `agt_${i % 9}` : null,
    agent: i % 3 === 0 ? { name: `Agent ${i % 9}` } : null,
    contactId: category === 'contact' ? `con_${i % 5}` : null,
    contact: category === 'contact' ? { name: `Carol ${i % 5}` } : null,
    toAddress: category === 'escrow' ? null : walletAddress,
    toWallet: null,
    fromAddress: null,
    origin: null,
    fromWalletId: `wal_${i % 2}`,
    fromWallet: { name: i % 2 === 0 ? 'Operations' : null, address: walletAddress },
    fromWalletChain: i % 11 === 0 ? 'base-sepolia' : 'base',
    txHash: i % 2 === 0 ? `0x${i.toString(16).padStart(64, '0')}` : null,
    ...eachNote(() => null),
    memo: i % 7 === 0 ? `50% off_${i}` : i % 7 === 1 ? `=HYPERLINK("http://evil/${i}")` : null,
    errorMessage: null,
    recipientEmail: category === 'escrow' ? `person${i % 20}@example.com` : null,
    recipientPhone: null,
    resource: null,
    validBefore: null,
    served: null,
    escrowId: null,
    approvalId: null,
    policyGroupId: null,
    runId: null,
    refusal: null,
    timeline: { decidedAt: at, signedAt: null, broadcastAt: null, confirmedAt: null },
  }
})
const payouts = Array.from({ length: 2_000 }, (_, i) => {
  const at = new Date(start + i * minuteMs).toISOString()
  return {
    id: `pay_out${String(i).padStart(6, '0')}`,
    sourceWallet: {
      id: `wal_${i % 2}`,
      name: i % 2 === 0 ? 'Operations' : null,
      address: i % 2 === 0 ? walletAddress : `0x${'12'.repeat(20)}`,
      chain: 'base',
    },
    amount: String((i % 50) + 1),
    status: (['CREATED', 'WITHDRAWN', 'RECLAIMED', 'FAILED'] as const)[i % 4]!,
    recipientEmail: i % 3 === 0 ? null : `person${i % 20}@example.com`,
    recipientPhone: i % 3 === 0 ? '+14155550123' : null,
    memo: i === 5 ? 'Dinner;=HYPERLINK("http://evil")' : null,
    reference: null,
    agent: null,
    createdAt: at,
    expiresAt: at,
    withdrawnAt: null,
    withdrawnToAddress: null,
    fundingTxHash: null,
    txHash: null,
  } as Escrow
})

let token = ''
let user = ''
const page = async (path: string) => {
  const answer = await api.call('GET', path, { token })
  expect(answer.status, answer.text).toBe(200)
  const rows = answer.json.data.escrows ?? answer.json.data
  const { total, next, previous, spent } = answer.json.page as Page
  return { rows: rows as { id: string }[], total, next, previous, spent }
}

beforeAll(async () => {
  await seed()
  ;({ token, id: user } = await createUser(api))
  await putRows(user, { transactions, payouts })
  // The refusals among them stay.
  await inHistory(user, (history) => {
    history.clock = { now: () => start }
  })
  // Rows of another user, which must never be found.
  const { id: other } = await createUser(api)
  await putRows(other, { transactions: [{ ...transactions[0]!, id: 'pay_other' }] })
})

const shown = {
  completed: ['CONFIRMED'],
  failed: ['FAILED', 'POLICY_REJECTED', 'CANCELLED'],
  pending: ['PENDING', 'QUEUED'],
}

describe('transactions', () => {
  const cases: [query: string, keeps: (row: Transaction) => boolean][] = [
    ['', () => true],
    ['type=payout', (row) => row.category.startsWith('escrow')],
    ['type=transfer', (row) => !row.category.startsWith('escrow')],
    ['status=failed', (row) => shown.failed.includes(row.status)],
    ['status=completed,pending', (row) => [...shown.completed, ...shown.pending].includes(row.status)],
    ['sender=user', (row) => row.agentId === null],
    ['sender=agt_3', (row) => row.agentId === 'agt_3'],
    ['contact=con_2', (row) => row.contactId === 'con_2'],
    ['recipient=PERSON1%40', (row) => row.recipientEmail?.includes('person1@') === true],
    ['recipient=carol%203', (row) => row.contact?.name === 'Carol 3'],
    ['memo=50%25%20off_7', (row) => row.memo?.startsWith('50% off_7') === true],
    ['memo=50X', () => false],
    ['amountMin=10&amountMax=12.5', (row) => Number(row.amountUsdc) >= 10 && Number(row.amountUsdc) <= 12.5],
    [
      'from=2026-01-02T00:00:00%2B14:00&to=2026-01-02T00:00:00-11:00',
      (row) => row.createdAt >= '2026-01-01T10:00' && row.createdAt < '2026-01-02T11:00',
    ],
    ['search=list000123', (row) => row.id.includes('list000123')],
    [
      'type=payout&status=failed&sender=user&wallet=wal_0&amountMin=400',
      (row) =>
        row.category.startsWith('escrow') &&
        shown.failed.includes(row.status) &&
        row.agentId === null &&
        row.fromWalletId === 'wal_0' &&
        Number(row.amountUsdc) >= 400,
    ],
  ]
  test.each(cases)(
    'filter "%s" finds the same rows as a linear search, newest first @lists-9',
    async (query, keeps) => {
      const expected = transactions.filter(keeps).reverse()
      const first = await page(`/api/transactions/user?${query}`)
      expect(first.total).toBe(expected.length)
      expect(first.rows.map((row) => row.id)).toEqual(expected.slice(0, 25).map((row) => row.id))
      const later = await page(`/api/transactions/user?${query}&page=3&pageSize=7`)
      expect(later.rows.map((row) => row.id)).toEqual(expected.slice(14, 21).map((row) => row.id))
    },
  )

  test.each(cases)(
    'filter "%s": every page reports the total spent by all matching rows, test money separately @lists-37',
    async (query, keeps) => {
      const spentOn = (chain: string) =>
        transactions
          .filter((row) => keeps(row) && isSpent(row, false) && row.fromWalletChain === chain)
          .reduce((sum, { amountUsdc }) => sum + Number(amountUsdc), 0)
      const expected = { base: String(spentOn('base')), 'base-sepolia': String(spentOn('base-sepolia')) }
      for (const place of ['page=1', 'page=2&pageSize=7&sort=largest'])
        expect((await page(`/api/transactions/user?${query}&${place}`)).spent).toEqual(
          query === '' ? undefined : expected,
        )
    },
  )

  test('a page beyond the end is empty and has the total @lists-10', async () => {
    expect(await page('/api/transactions/user?page=9999')).toMatchObject({ rows: [], total: 10_000 })
  })

  test.each([
    ['type=gift', 'type'],
    ['status=done', 'status.0'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30T00:00:00Z', 'from'],
    ['from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'to'],
    ['amountMin=1.2345678', 'amountMin'],
    ['amountMin=-1', 'amountMin'],
    ['amountMin=5&amountMax=4', 'amountMax'],
    ['page=0', 'page'],
    ['pageSize=1000', 'pageSize'],
    ['sort=cheapest', 'sort'],
    ['cursor=abc', 'cursor'],
    [`cursor=${encodeCursor({ side: 'after', sort: 'largest', key: 1, id: 'x' })}&sort=newest`, 'cursor'],
    [`recipient=${'x'.repeat(300)}`, 'recipient'],
  ])('query "%s" is refused with the field %s @lists-11', async (query, field) => {
    const answer = await api.call('GET', `/api/transactions/user?${query}`, { token })
    expect(answer.status).toBe(400)
    expect(answer.json.field).toBe(field)
  })

  /** The four orders as intended: by time or amount, then by id. */
  const compare: Record<(typeof listSorts)[number], (a: Transaction, b: Transaction) => number> = {
    newest: (a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1),
    oldest: (a, b) => compare.newest(b, a),
    largest: (a, b) => Number(b.amountUsdc) - Number(a.amountUsdc) || (a.id < b.id ? 1 : -1),
    smallest: (a, b) => compare.largest(b, a),
  }

  test.each(listSorts)(
    'sorted by %s: cursors visit every row once, forwards and backwards, while rows are added @lists-28',
    async (sort) => {
      const { token: own, id: reader } = await createUser(api)
      const put = (rows: Transaction[]) => putRows(reader, { transactions: rows })
      await inHistory(reader, (history) => {
        history.clock = { now: () => start }
      })
      const known = transactions
        .filter((row, i) => i % 100 === 7 && row.category !== 'contact')
        .map((row, i) => ({
          ...row,
          id: `${row.id}${sort}`,
          amountUsdc: String((i % 5) + 1),
        }))
      await put(known)
      const expected = known.toSorted(compare[sort]).map(({ id }) => id)
      const read = async (query: string) => {
        const answer = await api.call('GET', `/api/transactions/user?pageSize=7&sort=${sort}&${query}`, { token: own })
        expect(answer.status, answer.text).toBe(200)
        return { rows: (answer.json.data as Transaction[]).map(({ id }) => id), page: answer.json.page as Page }
      }
      const pages: string[][] = []
      let { rows, page: info } = await read('')
      expect(info.previous).toBeUndefined()
      for (let n = 2; ; n++) {
        pages.push(rows)
        if (!info.next) break
        // Sorts before all others: with an offset, a row of the previous page would be shown again.
        const [first, last] = [known[0]!, known.at(-1)!]
        const edges = { newest: last, oldest: first, largest: last, smallest: first }
        const at = new Date(Date.parse(edges[sort].createdAt) + (sort === 'oldest' ? -n : n) * 1000).toISOString()
        const amountUsdc = sort === 'largest' ? '900' : sort === 'smallest' ? '0.5' : '3'
        if (n < 5) await put([{ ...last, id: `pay_new${n}${sort}`, createdAt: at, amountUsdc }])
        ;({ rows, page: info } = await read(`page=${n}&cursor=${info.next}`))
        expect(info.number).toBe(n)
      }
      expect(pages.flat()).toEqual(expected)
      const back: string[][] = [pages.at(-1)!]
      for (let n = pages.length - 1; n > 0; n--) {
        ;({ rows, page: info } = await read(`page=${n}&cursor=${info.previous}`))
        back.unshift(rows)
      }
      expect(back).toEqual(pages)
      expect(info.previous, 'the rows that were added').toBeDefined()
    },
  )

  test('the transactions CSV has all filtered rows, with decimal and micro amounts, and no formula in a memo @lists-13', async () => {
    const answer = await api.call('GET', '/api/transactions/export?type=transfer&amountMin=250', { token })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/csv')
    const lines = answer.text.trim().split('\r\n')
    const expected = transactions.filter((row) => !row.category.startsWith('escrow') && Number(row.amountUsdc) >= 250)
    expect(lines).toHaveLength(expected.length + 1)
    expect(lines[0]).toContain('Amount (USDC),Amount (micro-USDC)')
    const newest = expected.at(-1)!
    expect(lines[1]).toContain(`${newest.createdAt},${newest.id}`)
    expect(lines[1]).toContain(`,${newest.amountUsdc},${newest.amountUsdc}000000,`)
    const wallet = lines[0]!.split(',').indexOf('Wallet name')
    const names = expected.map((row) => row.fromWallet?.name ?? '').reverse()
    expect(lines.slice(1).map((line) => line.split(',')[wallet])).toEqual(names)
    expect(new Set(names)).toEqual(new Set(['Operations', '']))
    const formula = expected.findIndex((row) => row.memo?.startsWith('='))
    const { memo } = expected[formula]!
    expect(lines.at(-1 - formula)).toContain(`,"'${memo!.replaceAll('"', '""')}",`)
  })

  test('the Spent column of the transactions CSV can be summed, although a payout has two rows @lists-36', async () => {
    const answer = await api.call('GET', '/api/transactions/export?amountMin=490', { token })
    const [header, ...lines] = answer.text.trim().split('\r\n')
    const columns = header!.split(',')
    const of = (line: string, name: string) => line.split(',')[columns.indexOf(name)]
    const counted = lines.filter((line) => of(line, 'Spent (USDC)') !== '0')
    const expected = transactions.filter(
      ({ status, category, amountUsdc, fromWalletChain }) =>
        status === 'CONFIRMED' &&
        fromWalletChain === 'base' &&
        Number(amountUsdc) >= 490 &&
        !['escrow', 'escrow_reclaim'].includes(category),
    )
    expect(counted.map((line) => of(line, 'ID'))).toEqual(expected.map(({ id }) => id).reverse())
    for (const line of counted) expect(of(line, 'Spent (USDC)')).toBe(of(line, 'Amount (USDC)'))
    expect(counted.length).toBeLessThan(lines.length)
  })
})

describe('payouts', () => {
  test.each<[string, (row: Escrow) => boolean]>([
    ['status=CREATED,FAILED', (row) => ['CREATED', 'FAILED'].includes(row.status)],
    [`wallets=${walletAddress.toLowerCase()}`, (row) => row.sourceWallet?.id === 'wal_0'],
    ['ids=pay_out000007,pay_out000003,nobody', (row) => ['pay_out000003', 'pay_out000007'].includes(row.id)],
    ['recipient=4155550', (row) => row.recipientPhone !== null],
    [
      'recipient=Person7%40&amountMin=20',
      (row) => row.recipientEmail === 'person7@example.com' && Number(row.amount) >= 20,
    ],
    [
      'from=2026-01-01T10:00:00Z&to=2026-01-01T11:00:00Z',
      (row) => row.createdAt >= '2026-01-01T10' && row.createdAt < '2026-01-01T11',
    ],
  ])('payout filter "%s" finds the same rows as a linear search, newest first @lists-14', async (query, keeps) => {
    const expected = payouts.filter(keeps).reverse()
    const found = await page(`/api/escrow/list?${query}`)
    expect(found.total).toBe(expected.length)
    expect(found.rows.map((row) => row.id)).toEqual(expected.slice(0, 25).map((row) => row.id))
  })

  test.each([
    ['expiresWithinDays=0', 'expiresWithinDays'],
    ['expiresWithinDays=91', 'expiresWithinDays'],
    ['expiresWithinDays=soon', 'expiresWithinDays'],
    ['expiresWithinDays=1.5', 'expiresWithinDays'],
    ['status=DONE', 'status.0'],
    ['sort=cheapest', 'sort'],
    [`cursor=${encodeCursor({ side: 'after', sort: 'soonest', key: 1, id: 'x' })}`, 'cursor'],
  ])('query "%s" of payouts is refused with the field %s @answers-35', async (query, field) => {
    for (const path of ['list', 'export']) {
      const answer = await api.call('GET', `/api/escrow/${path}?${query}`, { token })
      if (path === 'export' && field === 'cursor') continue
      expect([answer.status, answer.json.field]).toEqual([400, field])
    }
    expect((await api.call('GET', '/api/transactions/user?sort=soonest', { token })).json.field).toBe('sort')
  })

  test('payouts can be sorted by amount in the list and in the CSV @lists-29', async () => {
    const expected = payouts.toSorted((a, b) => Number(b.amount) - Number(a.amount) || (a.id < b.id ? 1 : -1))
    const found = await page('/api/escrow/list?sort=largest&page=2')
    expect(found.rows.map((row) => row.id)).toEqual(expected.slice(25, 50).map((row) => row.id))
    const next = await page(`/api/escrow/list?sort=largest&page=3&cursor=${found.next}`)
    expect(next.rows.map((row) => row.id)).toEqual(expected.slice(50, 75).map((row) => row.id))
    const file = await api.call('GET', '/api/escrow/export?sort=smallest', { token })
    const lines = file.text.trim().split('\r\n').slice(1)
    expect(lines.map((line) => line.split(',')[1])).toEqual(expected.map((row) => row.id).reverse())
  })

  test('in the payouts CSV a memo that looks like a formula stays text @lists-15', async () => {
    const answer = await api.call('GET', '/api/escrow/export', { token })
    const lines = answer.text.trim().split('\r\n')
    expect(lines).toHaveLength(2_001)
    const chain = lines[0]!.split(',').indexOf('Chain')
    expect(lines[2]!.split(',')[chain], 'the column that tells test money apart').toBe('base')
    const wallet = lines[0]!.split(',').indexOf('Wallet name')
    expect([1, 2].map((i) => lines[i]!.split(',')[wallet])).toEqual(['', 'Operations'])
    expect(answer.text).toContain(`"Dinner;'=HYPERLINK(""http://evil"")"`)
  })
})

describe('preferences', () => {
  const widget = { id: 'w1', type: 'total-balance', x: 0, y: 0, w: 3, h: 2 }
  const put = (body: unknown) => api.call('PUT', '/api/preferences', { token, body })

  test('preferences are stored per user; absent fields keep their values; a layout is replaced as a whole @lists-16', async () => {
    expect((await api.call('GET', '/api/preferences', { token })).json.data).toEqual({})
    expect((await put({ dashboardWidgets: [widget] })).status).toBe(200)
    expect((await put({ firstStepsDismissed: true })).status).toBe(200)
    expect((await put({ dashboardWidgets: [{ ...widget, x: 3 }] })).status).toBe(200)
    expect((await api.call('GET', '/api/preferences', { token })).json.data).toEqual({
      dashboardWidgets: [{ ...widget, x: 3 }],
      firstStepsDismissed: true,
    })
    const stranger = await createUser(api)
    expect((await stranger.asOwner('GET', '/preferences')).json.data).toEqual({})
  })

  test.each([
    [{ dashboardWidgets: [{ ...widget, type: 'clock' }] }, 'dashboardWidgets.0.type'],
    [{ dashboardWidgets: [widget, { ...widget, id: 'w2' }] }, 'dashboardWidgets'],
    [{ transfersDays: 8 }, 'transfersDays'],
    [{ dashboardWidgets: [{ ...widget, x: 10 }] }, 'dashboardWidgets.0.w'],
    [{ dashboardWidgets: 'all' }, 'dashboardWidgets'],
  ])('preferences %j are refused @lists-17', async (body, field) => {
    const answer = await put(body)
    expect(answer.status).toBe(400)
    expect(answer.json.field).toBe(field)
  })

  test('preferences are a general object: fields are replaced as a whole, up to 16 kB @screens-48', async () => {
    const { asOwner } = await createUser(api)
    const write = (body: unknown) => asOwner('PUT', '/preferences', body)
    await write({ theme: { name: 'dark', size: 1 }, list: [1, null], firstStepsDismissed: true })
    await Promise.all([write({ theme: { name: 'light' } }), write({ list: null })])
    const stored = { theme: { name: 'light' }, list: null, firstStepsDismissed: true }
    expect((await asOwner('GET', '/preferences')).json.data).toEqual(stored)
    expect((await write({ first: 'é'.repeat(4_000) })).status).toBe(200)
    expect((await write({ second: 'é'.repeat(4_200) })).status, 'with what is stored').toBe(413)
    expect((await asOwner('GET', '/preferences')).json.data).toEqual({ ...stored, first: 'é'.repeat(4_000) })
  })

  test('a megabyte of preferences is refused @lists-18', async () => {
    expect((await put({ dashboardWidgets: 'x'.repeat(1_000_000) })).status).toBe(413)
  })

  test('widgets stored by an older or newer version are ignored @lists-19', async () => {
    await env.DB.prepare('UPDATE preferences SET body = ? WHERE user_id = ?')
      .bind(JSON.stringify({ dashboardWidgets: [widget, { ...widget, type: 'gone' }, 7], theme: 'x' }), user)
      .run()
    expect((await api.call('GET', '/api/preferences', { token })).json.data).toEqual({
      dashboardWidgets: [widget],
      theme: 'x',
    })
  })
})
