import { DurableObject } from 'cloudflare:workers'
import { randomBytes } from 'node:crypto'
import {
  type Attempts,
  attemptAllowed,
  claimSessionMs,
  maxTries,
  newCodeAt,
  recordWrong,
  triesBeforeLock,
} from '#domain/attempts.ts'
import { limitsFrom } from '#domain/limits.ts'
import type { Hex } from '../chain/types.ts'
import { schemaReporter } from '../db/troubles.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import { insert, type RowOf, update } from '../durable/table.ts'
import type { Env } from '../env.ts'
import { sameHash, sha256 } from '../identity/secrets.ts'
import { keyring } from '../keyrings/keyring.ts'
import { logError } from '../observability/log.ts'
import { ok, type Result, refuse } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import {
  type ClaimDeskApi,
  type ClaimProof,
  type ClaimResult,
  type ClaimTarget,
  type DeskView,
  expiredLink,
  linkDown,
  type SentOnDesk,
  type SignedTransfer,
  unknownLink,
} from './api.ts'
import { isRightCode } from './codeHmac.ts'
import { claimDeskSchema } from './migrations.ts'
import { type DeskRow, desk, session } from './tables.ts'

/** Delay before the next attempt if a new code could not be sent. */
const retryMs = 60_000 // 1 minute

/**
 * Serves everyone who has the link of one payout. An attempt is counted before the code is compared, so parallel requests
 * can't exceed the limit (I8), and the Treasury is only called after the right code.
 */
export class ClaimDesk extends DurableObject<Env> implements ClaimDeskApi {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  readonly #schema: ObjectSchema
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, claimDeskSchema, schemaReporter(env.DB, 'claims', ctx.id))
    this.#sql = this.#schema.storage.sql
    this.#schema.constructed()
  }

  async update(view: DeskView): Promise<void> {
    const known = this.#view()
    if (known && known.edition >= view.edition) return
    const row = { id: 1, view: JSON.stringify(view) }
    insert(this.#sql, desk, row, 'ON CONFLICT (id) DO UPDATE SET view = excluded.view')
  }

  async owner(): Promise<string | null> {
    return this.#view()?.userId ?? null
  }

  async view(tokenHash: string): Promise<Result<DeskView>> {
    return this.#linked(tokenHash)
  }

  async verify(tokenHash: string, passcode: string): Promise<Result<{ sessionToken: string; view: DeskView }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const checked = this.#check(passcode)
    if (!checked.ok) return checked
    const sessionToken = randomBytes(32).toString('base64url')
    this.#sql.exec('DELETE FROM session WHERE expires_at <= ?', this.clock.now())
    insert(this.#sql, session, {
      hash: sha256(sessionToken),
      code_version: checked.value.codeVersion,
      expires_at: this.clock.now() + claimSessionMs,
    })
    return ok({ sessionToken, view: checked.value })
  }

  async resend(tokenHash: string): Promise<Result<{ recipientMasked: string }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const view = linked.value
    if (view.isDown) return linkDown
    const result = await treasuryOf(this.env, view.userId).resendCode(view.payoutId, 'recipient')
    return result.ok ? ok({ recipientMasked: view.recipientMasked }) : result
  }

  async receipt(tokenHash: string): Promise<Result<{ recipientMasked: string }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const { userId, payoutId, recipientMasked } = linked.value
    const requested = await treasuryOf(this.env, userId).sendReceipt(payoutId)
    return requested.ok ? ok({ recipientMasked }) : requested
  }

  async claim(tokenHash: string, input: ClaimProof & ClaimTarget): Promise<Result<ClaimResult>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const { userId, payoutId, chainId } = linked.value
    let codeVersion = input.sessionToken === undefined ? null : this.#sessionVersion(input.sessionToken)
    if (codeVersion === null) {
      if (input.passcode === undefined)
        return refuse('wrong_passcode', 'Please enter your code again.', { field: 'passcode' })
      const checked = this.#check(input.passcode)
      if (!checked.ok) return checked
      codeVersion = checked.value.codeVersion
    }
    const claimed = await treasuryOf(this.env, userId).claim({
      payoutId,
      codeVersion,
      to: input.to,
      keptDomain: input.keptDomain ?? null,
    })
    return claimed.ok ? ok({ ...claimed.value, chainId }) : claimed
  }

  async sendOn(tokenHash: string, input: SignedTransfer): Promise<Result<SentOnDesk>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const { userId, payoutId, chainId } = linked.value
    const sent = await treasuryOf(this.env, userId).sendOn({ ...input, payoutId })
    return sent.ok ? ok({ ...sent.value, chainId }) : sent
  }

  async sentOn(tokenHash: string, nonce: Hex): Promise<Result<SentOnDesk>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const { userId, payoutId, chainId } = linked.value
    const sent = await treasuryOf(this.env, userId).sentOn(payoutId, nonce)
    return sent.ok ? ok({ ...sent.value, chainId }) : sent
  }

  /** The version of the code that opened the session; null if there is no session or it has expired. */
  #sessionVersion(token: string): number | null {
    const query = 'SELECT * FROM session WHERE hash = ? AND expires_at > ?'
    const [row] = this.#sql.exec<RowOf<typeof session>>(query, sha256(token), this.clock.now())
    return row?.code_version ?? null
  }

  /**
   * Sends the recipient a new code after too many wrong attempts. Repeating it is harmless: the Treasury renews only the
   * version whose tries are used up.
   */
  override async alarm(): Promise<void> {
    if (!(await this.#schema.mayWork())) return
    const row = this.#row()
    const now = this.clock.now()
    if (row?.new_code_due_at == null) return
    const dueAt = now < row.new_code_due_at ? row.new_code_due_at : await this.#sendNewCode(row, now)
    this.#change({ new_code_due_at: dueAt })
    if (dueAt !== null) await this.#schema.storage.setAlarm(dueAt)
  }

  /** Returns when to try again (ms); null if the code was sent or the payout has ended. */
  async #sendNewCode(row: DeskRow, now: number): Promise<number | null> {
    const { userId, payoutId } = JSON.parse(row.view) as DeskView
    try {
      const sent = await treasuryOf(this.env, userId).resendCode(payoutId, 'desk', row.counted_version)
      return sent.ok || sent.retryAfter === undefined ? null : now + sent.retryAfter * 1000
    } catch (error) {
      logError('new_code_not_sent', { payout: payoutId }, error)
      return now + retryMs
    }
  }

  /** Call after the last try of a code, in the same write, so that a crash loses neither the count nor the new code. */
  #scheduleNewCode(row: DeskRow, now: number): void {
    const sent = { count: row.new_codes, lastAt: row.new_code_last_at }
    const dueAt = newCodeAt(sent, limitsFrom(this.env).claimTriesPerPayout, now)
    if (dueAt === null) return
    this.#change({ new_codes: row.new_codes + 1, new_code_last_at: dueAt, new_code_due_at: dueAt })
    void this.#schema.storage.setAlarm(dueAt)
  }

  #check(passcode: string): Result<DeskView> {
    const now = this.clock.now()
    const row = this.#row()
    const view = row && (JSON.parse(row.view) as DeskView)
    if (!row || !view || now >= view.expiresAt || !view.codeHmac) return expiredLink
    if (view.isDown) return linkDown
    const attempts: Attempts =
      row.counted_version === view.triesVersion
        ? { total: row.wrong_total, recent: row.wrong_now, lockedUntil: row.locked_until }
        : { total: 0, recent: 0, lockedUntil: 0 }
    const allowed = attemptAllowed(attempts, now, row.new_code_due_at)
    if (!allowed.ok) {
      const { message, retryAfter } = allowed
      return refuse('rate_limited', message, { field: 'passcode', ...(retryAfter !== null && { retryAfter }) })
    }
    // Counted as wrong first and undone if right, so that no interruption gives a free attempt.
    const counted = recordWrong(attempts, now)
    this.#saveAttempts(view.triesVersion, counted)
    if (!isRightCode(keyring(this.env, 'CODE_PEPPER'), view, passcode)) {
      if (counted.total >= maxTries) this.#scheduleNewCode(row, now)
      const next = attemptAllowed(counted, now, this.#row()!.new_code_due_at)
      const triesLeft = triesBeforeLock - counted.recent
      const what = next.ok ? `${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left.` : next.message
      return refuse('wrong_passcode', `Invalid passcode. ${what}`, { field: 'passcode' })
    }
    this.#saveAttempts(view.triesVersion, { ...attempts, recent: 0, lockedUntil: 0 })
    return ok(view)
  }

  #saveAttempts(version: number, attempts: Attempts): void {
    const { total, recent, lockedUntil } = attempts
    this.#change({ counted_version: version, wrong_total: total, wrong_now: recent, locked_until: lockedUntil })
  }

  #change(changes: Partial<DeskRow>): void {
    update(this.#sql, desk, { id: 1 }, changes)
  }

  #row(): DeskRow | null {
    return this.#sql.exec<DeskRow>('SELECT * FROM desk WHERE id = 1').toArray()[0] ?? null
  }

  #linked(tokenHash: string): Result<DeskView> {
    const view = this.#view()
    return view && sameHash(view.tokenHash, tokenHash) ? ok(view) : unknownLink
  }

  #view(): DeskView | null {
    const row = this.#row()
    return row ? (JSON.parse(row.view) as DeskView) : null
  }
}
