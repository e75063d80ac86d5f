import { createHash } from 'node:crypto'
import { canonicalRows } from '#domain/runs/read.ts'
import type { ReadRow, RunRecipient } from '#domain/runs/row.ts'
import { blocksRepeat, runWaitsMs } from '#domain/runs/runStatus.ts'
import { utcText } from '#domain/utcText.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import { type Context, newId } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { toColumn } from '../core/storage/columns.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { findReplay, idempotentRequest, remember } from '../ledger/idempotency.ts'
import { takeOwnerChange } from '../limits/ownerActions.ts'
import { takeRate } from '../limits/rates.ts'
import { recordChange } from '../outbox/changes.ts'
import { payableAgain, takeOver } from './again.ts'
import { isPrepared, methodOf, type NewRunRow, withoutMethod } from './rows.ts'
import type { CreateRunInput, NamedContact } from './rpcTypes.ts'

/**
 * Stores a run as a draft, whose rows are checked afterwards. Rows and wallet that are a run already are refused (`same_run`),
 * unless that was denied or cancelled, or `again` is set. With the same key, returns the run that was made.
 */
export function createRun(ctx: Context, input: CreateRunInput, maker: Maker = person): Result<RunRow> {
  const { store } = ctx
  return store.attempt((): Result<RunRow> => {
    const request = runRequest(input, maker)
    const replay = findReplay(store, request)
    if (replay) return replay.ok ? madeBefore(store.payoutRun(replay.value)) : replay
    const wallet = store.liveWallet(input.walletId)
    if (!wallet) return notFound('Wallet', 'walletId')
    const { from } = input
    const rows =
      'rows' in from ? from.rows.map((row) => newRow(row, input.contacts, maker)) : payableAgain(store, from.failedOf)
    if (rows === null) return notFound('Run', 'failedOf')
    if (rows.length === 0) return refuse('unprocessable', 'Every row of this run was paid, or may still be.')
    const refused = maker.mayMake(ctx, rows.length)
    if (refused) return refused
    const fileHash = hashOfRows(input, wallet.id)
    const same = 'rows' in from && !input.again ? sameRun(ctx, fileHash, maker) : null
    if (same) return same
    const run = insertRun(ctx, rows, {
      ...{ title: input.title, wallet_id: wallet.id, file_hash: fileHash, request_key: request?.key ?? null },
      ...{ made_by: input.by.userId, made_name: input.by.name },
      made_from: 'failedOf' in from ? from.failedOf : null,
    })
    remember(store, request, 'run', run.id, ctx.now())
    if ('failedOf' in from) takeOver(store, run.id)
    else
      store.replace('idempotency', {
        key: fileKey(fileHash),
        fingerprint: fileHash,
        kind: 'run',
        ref: run.id,
        created_at: ctx.now(),
      })
    return ok(run)
  })
}

/** Drafts that nobody submitted are deleted after 30 days; keys are kept. */
const madeBefore = (run: RunRow | null): Result<RunRow> =>
  run ? ok(run) : refuse('gone', 'This run was cancelled, and deleted since. Use a new Idempotency-Key.')

/** What differs by who makes runs. `mayMake` is called in the transaction that stores a run of so many rows. */
export type Maker = {
  principal: Principal
  mayMake: (ctx: Context, rows: number) => Refused | null
  /** Why a row can't name this contact. */
  noContact: (name: string) => string
  /** Whether it may know of this run. */
  knows: (run: RunRow) => boolean
}

const person: Maker = {
  principal: { type: 'user' },
  mayMake: (ctx, rows) => takeOwnerChange(ctx) ?? openRunsRefusal(ctx) ?? takeRate(ctx, 'run_rows', 'owner', rows),
  noContact: (name) => `You have no contact named “${name}”.`,
  knows: () => true,
}

/** The request under its Idempotency-Key: who calls and the contacts that were found are no part of it. */
export const runRequest = (input: CreateRunInput, { principal }: Pick<Maker, 'principal'>) =>
  idempotentRequest(principal, input.key, { ...input, key: undefined, by: undefined, contacts: undefined })

type NewRun = Pick<RunRow, 'title' | 'wallet_id' | 'file_hash' | 'made_by' | 'made_name' | 'made_from'> &
  Partial<Pick<RunRow, 'request_key' | 'submits_itself'>>

/** Stores the run with its rows, numbered from 1, and has them checked. */
export function insertRun(ctx: Context, rows: readonly NewRunRow[], columns: NewRun): RunRow {
  const { store } = ctx
  const id = newId(ctx, 'run')
  const now = ctx.now()
  store.insert('run', {
    id,
    ...columns,
    status: 'DRAFT',
    rows: rows.length,
    created_at: now,
    expires_at: now + runWaitsMs,
  })
  for (const [i, row] of rows.entries()) store.insert('run_row', { ...row, run_id: id, n: i + 1 })
  audit(store, now, 'run.created', id, {
    title: columns.title,
    rows: rows.length,
    ...(columns.made_from && { from: columns.made_from }),
  })
  recordChange(ctx, `run:${id}`)
  ctx.schedule('runs', now)
  return store.payoutRun(id)!
}

function newRow(
  { line, written, row, problem }: ReadRow,
  contacts: CreateRunInput['contacts'],
  maker: Maker,
): NewRunRow {
  const common = { line, written: JSON.stringify(written) }
  const leftOut = (why: string): NewRunRow => ({ ...common, status: 'left_out', problems: JSON.stringify([why]) })
  if (row === null) return leftOut(problem ?? 'This row can’t be read.')
  const found = recipientColumns(row.to, contacts, maker)
  if ('problem' in found) return leftOut(found.problem)
  const { memo, reference } = row
  return { ...common, ...found, status: 'waiting', amount: toColumn(row.amount), memo, reference }
}

/** A contact is paid at its address if it has one, otherwise by email, otherwise by phone. */
function recipientColumns(to: RunRecipient, contacts: CreateRunInput['contacts'], maker: Maker) {
  switch (to.type) {
    case 'address':
      return { to_type: 'address', to_address: to.address } as const
    case 'email':
      return { to_type: 'email', recipient_email: to.email } as const
    case 'phone':
      return { to_type: 'phone', recipient_phone: to.phone } as const
    case 'contact':
      return contactColumns(to.name, contacts[to.name] ?? [], maker)
  }
}

function contactColumns(name: string, [contact, ...others]: NamedContact[], maker: Maker) {
  if (!contact) return { problem: maker.noContact(name) }
  if (others.length > 0)
    return { problem: `There are ${others.length + 1} contacts named “${name}”. Write the address instead.` }
  const { id, address, email, phone, changedBy, updatedAt } = contact
  const named = {
    ...({ to_type: 'contact', contact_id: id, contact_name: contact.name } as const),
    ...(changedBy !== null && { contact_by: changedBy, contact_at: updatedAt }),
  } as const
  const paidAt = methodOf({ address, email, phone })
  return paidAt ? { ...named, ...paidAt } : { problem: withoutMethod(contact.name) }
}

/** Of the rows and the wallet: what makes two files the same. */
const hashOfRows = ({ from }: CreateRunInput, walletId: string): string =>
  createHash('sha256')
    .update(`${walletId}\n${'rows' in from ? canonicalRows(from.rows) : from.failedOf}`)
    .digest('hex')

/** Files are remembered as keys of requests are, so that a restored account knows them too. */
export const fileKey = (fileHash: string): string => `file|${fileHash}`

function sameRun({ store }: Context, fileHash: string, maker: Maker): Refused | null {
  const earlier = findReplay(store, { key: fileKey(fileHash), fingerprint: fileHash })
  const run = earlier?.ok ? store.payoutRun(earlier.value) : null
  if (!run || !blocksRepeat(run.status)) return null
  if (!maker.knows(run))
    return refuse('same_run', 'These rows are a run already. Paying them again would pay everybody twice.')
  const message = `These rows are the run “${run.title}” of ${utcText(run.created_at)}. Paying them again would pay everybody twice.`
  return { ...refuse('same_run', message), existing: run.id }
}

function openRunsRefusal({ store, limits }: Context): Refused | null {
  if (store.count(`run WHERE ended_at IS NULL AND NOT ${isPrepared}`) < limits.openRuns) return null
  return refuse(
    'conflict',
    `${limits.openRuns} runs are open, which is the limit. Decide about them or cancel them first.`,
  )
}
