/**
 * An account as it is after years: 10,000 transactions, 2,000 payouts, 500 contacts, 50 groups and 200 agents. Groups
 * and agents are created through the API, because the Treasury keeps them. Transactions, payouts and contacts are list
 * rows, written into the stack's databases while its Worker is down, because real payments would take the chain an hour. So the
 * figures that the Treasury counts itself (overview, usage) do not include them.
 *
 * `npm exec -- node tests/support/largeAccount.ts` fills the demo user of a new stack and keeps it running until Ctrl-C.
 */

import { randomUUID } from 'node:crypto'
import { eachNote } from '#domain/paymentNotes.ts'
import { searchTextOf } from '#domain/readers/text.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { demo } from '../../local/stack/seed.ts'
import { withHistory } from './objectFiles.ts'
import { openDatabase } from './readyAccounts.ts'
import { createFundedWallet, createTestStack, signIn, type TestStack } from './testStack.ts'

export const size = { transactions: 10_000, payouts: 2_000, contacts: 500, groups: 50, agents: 200 }

const statuses = ['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'FAILED', 'CANCELLED'] as const
const categories = ['address', 'contact', 'escrow', 'address'] as const
const everyMs = 3_600_000 // a transaction each hour, for more than a year
const hex = (i: number, bytes: number) => `0x${i.toString(16).padStart(bytes * 2, '0')}`
const nameOf = (i: number) => `${['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara'][i % 5]} ${String(i).padStart(3, '0')}`

type Account = { userId: string; token: string; wallet: Wallet }

/** Fills one account of `stack`, whose Worker is restarted in between. */
export async function enlarge(stack: TestStack, account: Account): Promise<void> {
  await writeRows(stack, account, await groupsAndAgents(stack, account))
}

/** Stops the Worker, writes the rows into D1 and the account's History, and restarts the Worker. */
export async function writeRows(stack: TestStack, account: Account, agents: Named[]): Promise<void> {
  await stack.bursar.api('/transactions/user', { token: account.token })
  await stack.stopWorker()
  const { contacts, listed } = rows(account, agents, Date.now())
  const database = openDatabase(stack.stateDir)
  database.exec(`BEGIN; ${contacts} COMMIT;`)
  database.close()
  withHistory(stack.stateDir, account.userId, (db) => db.exec(`BEGIN; ${listed} COMMIT;`))
  await stack.restartWorker()
}

type Named = { id: string; name: string; groupId: string }

export async function groupsAndAgents({ bursar }: TestStack, { token, wallet }: Account): Promise<Named[]> {
  const make = <T>(path: string, body: unknown) => bursar.api<T>(path, { token, key: randomUUID(), body })
  const groups: PolicyGroup[] = []
  for (let i = 0; i < size.groups; i++)
    groups.push(
      await make<PolicyGroup>('/policy-groups', {
        name: `Group ${String(i).padStart(2, '0')}`,
        spendLimit: 10 + i,
        scopes: ['address_payments:write'],
        walletId: wallet.id,
      }),
    )
  const agents: Named[] = []
  for (let i = 0; i < size.agents; i++) {
    const groupId = groups[i % groups.length]!.id
    const name = `Agent ${String(i).padStart(3, '0')}`
    const { agent } = await make<{ agent: { id: string } }>('/agents', {
      name,
      memo: 'Buys data',
      policyGroupId: groupId,
    })
    agents.push({ id: agent.id, name, groupId })
  }
  return agents
}

function rows({ userId, wallet }: Account, agents: Named[], now: number) {
  const contacts = range(size.contacts).map((i) => [
    `con_large${String(i).padStart(4, '0')}`,
    userId,
    nameOf(i),
    hex(i + 1, 20),
    `person${i}@bursar.test`,
    searchTextOf(nameOf(i), hex(i + 1, 20), `person${i}@bursar.test`),
    now - i * everyMs,
    now,
  ])
  const transactions = range(size.transactions).map((i) => {
    const row = transactionRow(i, wallet, agents, now)
    const { id, status, category, agentId, contactId } = row
    const amount = Number(row.amountUsdc) * 1_000_000
    return [id, 1, Date.parse(row.createdAt), status, category, amount, wallet.id, 'base', agentId, contactId, row]
  })
  const payouts = range(size.payouts).map((i) => {
    const row = payoutRow(i, wallet, now)
    const [createdAt, expiresAt] = [Date.parse(row.createdAt), Date.parse(row.expiresAt)]
    return [row.id, 1, createdAt, row.status, Number(row.amount) * 1_000_000, 'base', expiresAt, row]
  })
  const listed = [
    ...inserts(
      'transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, agent_id, contact_id, body)',
      transactions,
    ),
    ...inserts('payout_view (id, seq, created_at, status, amount, chain, expires_at, body)', payouts),
  ]
  const ofContacts = 'contact (id, user_id, name, address, email, search_text, created_at, updated_at)'
  return { contacts: inserts(ofContacts, contacts).join('\n'), listed: listed.join('\n') }
}

function transactionRow(i: number, wallet: Wallet, agents: Named[], now: number): Transaction {
  const at = new Date(now - i * everyMs).toISOString()
  const category = categories[i % categories.length]!
  const status = statuses[i % statuses.length]!
  const agent = i % 3 === 0 ? null : agents[i % agents.length]!
  const contact = category === 'contact' ? i % size.contacts : null
  const done = status === 'CONFIRMED' ? at : null
  return {
    id: `pay_large${String(i).padStart(6, '0')}`,
    category,
    status,
    amountUsdc: String((i % 200) + 1),
    createdAt: at,
    agentId: agent?.id ?? null,
    agent: agent && { name: agent.name },
    contactId: contact === null ? null : `con_large${String(contact).padStart(4, '0')}`,
    contact: contact === null ? null : { name: nameOf(contact) },
    toAddress: category === 'escrow' ? null : hex(i + 1, 20),
    toWallet: null,
    fromAddress: null,
    origin: null,
    fromWalletId: wallet.id,
    fromWallet: { name: wallet.name, address: wallet.address },
    fromWalletChain: 'base',
    txHash: done && hex(i + 1, 32),
    ...eachNote(() => null),
    memo: i % 4 === 0 ? `Invoice ${i}` : null,
    errorMessage: status === 'FAILED' ? 'The payment failed on chain.' : null,
    recipientEmail: category === 'escrow' ? `person${i % size.contacts}@bursar.test` : null,
    recipientPhone: null,
    resource: null,
    validBefore: null,
    served: null,
    escrowId: null,
    runId: null,
    approvalId: null,
    policyGroupId: agent?.groupId ?? null,
    refusal: null,
    timeline: { decidedAt: at, signedAt: done, broadcastAt: done, confirmedAt: done },
  }
}

function payoutRow(i: number, wallet: Wallet, now: number): Escrow {
  const createdAt = new Date(now - i * 5 * everyMs).toISOString()
  const id = `pay_largepayout${String(i).padStart(5, '0')}`
  return {
    id,
    escrowId: id,
    sourceWallet: { id: wallet.id, name: wallet.name, address: wallet.address, chain: 'base' },
    amount: String((i % 50) + 1),
    status: (['WITHDRAWN', 'RECLAIMED', 'WITHDRAWN', 'FAILED'] as const)[i % 4]!,
    inProgress: null,
    recipientEmail: `person${i % size.contacts}@bursar.test`,
    recipientPhone: null,
    ...eachNote(() => null),
    memo: `Prize ${i}`,
    createdAt,
    updatedAt: createdAt,
    expiresAt: new Date(Date.parse(createdAt) + 720 * everyMs).toISOString(),
    fundedAt: createdAt,
    claimedAt: null,
    withdrawnAt: null,
    reclaimedAt: null,
    withdrawnToAddress: null,
    escrowSubwalletAddress: hex(i + 1, 20),
    txHash: hex(i + 1, 32),
    fundingTxHash: hex(i + 1, 32),
    errorMessage: null,
    agent: null,
    terms: {
      payer: wallet.address,
      claimKey: hex(1, 20),
      reclaimKey: hex(2, 20),
      amount: '1000000',
      expiry: 0,
      contractSet: 1,
    },
  }
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i)

function inserts(target: string, all: unknown[][]): string[] {
  const statements: string[] = []
  for (let i = 0; i < all.length; i += 50)
    statements.push(
      `INSERT INTO ${target} VALUES ${all
        .slice(i, i + 50)
        .map((row) => `(${row.map(literal).join(',')})`)
        .join(',')};`,
    )
  return statements
}

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`
}

if (process.argv[1] === import.meta.filename) {
  const stack = await createTestStack()
  console.log('filling the account …')
  const token = await signIn(stack.bursar)
  await enlarge(stack, { userId: demo.userId, token, wallet: await createFundedWallet(stack.bursar, token) })
  console.log(`${stack.url}: sign in as ${demo.email} with ${demo.password}. Ctrl-C stops it.`)
  process.once('SIGINT', async () => {
    await stack.stop()
    process.exit(0)
  })
}
