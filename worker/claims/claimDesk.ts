import { DurableObject } from 'cloudflare:workers'
import { createHash, randomBytes } from 'node:crypto'
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
import type { Address } from '../chain/types.ts'
import { schemaReporter } from '../db/troubles.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { sameHash } from '../identity/secrets.ts'
import { keyring } from '../keyrings/keyring.ts'
import { logError } from '../observability/log.ts'
import { ok, type Refused, type Result, refuse } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type ClaimDeskApi, type ClaimProof, type ClaimResult, type DeskView, unknownLink } from './api.ts'
import { isRightCode } from './codeHmac.ts'
import { claimDeskSchema } from './migrations.ts'

/** Delay before the next attempt if a new code could not be sent. */
const retryMs = 60_000 // 1 minute

type DeskRow = {
  view: string
  wrong_total: number
  wrong_now: number
  locked_until: number
  counted_version: number
  new_codes: number
  new_code_last_at: number
  new_code_due_at: number | null
}

const linkExpired: Refused = refuse('gone', 'This payout link is invalid or has expired.')

const linkDown: Refused = refuse('gone', 'This payout link is not available.')

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

  /** Called by the Treasury. The newest edition wins, so late and repeated calls are harmless. */
  async update(view: DeskView): Promise<void> {
    const known = this.#view()
    if (known && known.edition >= view.edition) return
    this.#sql.exec(
      'INSERT INTO desk (id, view) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET view = excluded.view',
      JSON.stringify(view),
    )
  }

  /** The payout's owner, for operators. Null before the Treasury's first update. */
  async owner(): Promise<string | null> {
    return this.#view()?.userId ?? null
  }

  /** What the claim page shows. */
  async view(tokenHash: string): Promise<Result<DeskView>> {
    return this.#linked(tokenHash)
  }

  /** Opens a session for the right code. Each call counts as an attempt before the code is compared. */
  async verify(tokenHash: string, passcode: string): Promise<Result<{ sessionToken: string; view: DeskView }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const checked = this.#check(passcode)
    if (!checked.ok) return checked
    const sessionToken = randomBytes(32).toString('base64url')
    this.#sql.exec('DELETE FROM session WHERE expires_at <= ?', this.clock.now())
    this.#sql.exec(
      'INSERT INTO session (hash, code_version, expires_at) VALUES (?, ?, ?)',
      sha256(sessionToken),
      checked.value.codeVersion,
      this.clock.now() + claimSessionMs,
    )
    return ok({ sessionToken, view: checked.value })
  }

  /** Sends the recipient a new code to the same address. The Treasury enforces the limits. */
  async resend(tokenHash: string): Promise<Result<{ recipientMasked: string }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const view = linked.value
    if (view.isDown) return linkDown
    const result = await treasuryOf(this.env, view.userId).resendCode(view.payoutId, 'recipient')
    return result.ok ? ok({ recipientMasked: view.recipientMasked }) : result
  }

  /** Sends a receipt to the payout's own mailbox. The Treasury knows whether there is one. */
  async receipt(tokenHash: string): Promise<Result<{ recipientMasked: string }>> {
    const linked = this.#linked(tokenHash)
    if (!linked.ok) return linked
    const { userId, payoutId, recipientMasked } = linked.value
    const requested = await treasuryOf(this.env, userId).sendReceipt(payoutId)
    return requested.ok ? ok({ recipientMasked }) : requested
  }

  /** Checks the session, or the code if there is none; then the Treasury decides. The first accepted address wins. */
  async claim(tokenHash: string, input: ClaimProof & { to: Address }): Promise<Result<ClaimResult>> {
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
    const claimed = await treasuryOf(this.env, userId).claim({ payoutId, codeVersion, to: input.to })
    return claimed.ok ? ok({ ...claimed.value, chainId }) : claimed
  }

  /** The version of the code that opened the session; null if there is no session or it has expired. */
  #sessionVersion(token: string): number | null {
    const session = this.#sql
      .exec<{ code_version: number }>(
        'SELECT code_version FROM session WHERE hash = ? AND expires_at > ?',
        sha256(token),
        this.clock.now(),
      )
      .toArray()[0]
    return session?.code_version ?? null
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
    this.#sql.exec('UPDATE desk SET new_code_due_at = ? WHERE id = 1', dueAt)
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
    this.#sql.exec(
      'UPDATE desk SET new_codes = new_codes + 1, new_code_last_at = ?, new_code_due_at = ? WHERE id = 1',
      dueAt,
      dueAt,
    )
    void this.#schema.storage.setAlarm(dueAt)
  }

  #check(passcode: string): Result<DeskView> {
    const now = this.clock.now()
    const row = this.#row()
    const view = row && (JSON.parse(row.view) as DeskView)
    if (!row || !view || now >= view.expiresAt || !view.codeHmac) return linkExpired
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
    this.#sql.exec(
      'UPDATE desk SET counted_version = ?, wrong_total = ?, wrong_now = ?, locked_until = ? WHERE id = 1',
      version,
      attempts.total,
      attempts.recent,
      attempts.lockedUntil,
    )
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
