import { DurableObject } from 'cloudflare:workers'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Address } from '../chain/types.ts'
import { type Attempts, attemptAllowed, recordWrong } from '../domain/attempts.ts'
import type { Env } from '../env.ts'
import type { Refused, Result } from '../errors.ts'
import { base64 } from '../treasury/seal.ts'
import type { DeskView } from './types.ts'

/** The session after a right code: bound to the payout and to the code's version. */
const sessionMs = 15 * 60_000 // 15 minutes

type DeskRow = { view: string; wrong_total: number; wrong_now: number; locked_until: number; counted_version: number }

const gone: Refused = { ok: false, code: 'gone', message: 'This payout link is invalid or has expired.' }

/**
 * One per payout: what strangers with a link talk to. It counts attempts before it compares, so no parallelism gets
 * more than the cap (I8), and it only calls the Treasury for a recipient whose code was right.
 */
export class ClaimDesk extends DurableObject<Env> {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS desk (
        id INTEGER PRIMARY KEY CHECK (id = 1), view TEXT NOT NULL, wrong_total INTEGER NOT NULL DEFAULT 0, wrong_now INTEGER NOT NULL DEFAULT 0,
        locked_until INTEGER NOT NULL DEFAULT 0, counted_version INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS session (hash TEXT PRIMARY KEY, code_version INTEGER NOT NULL, expires_at INTEGER NOT NULL);
    `)
  }

  /** From the Treasury; the newest edition wins, so late and repeated calls are harmless. */
  async update(view: DeskView): Promise<void> {
    const known = this.#view()
    if (known && known.edition >= view.edition) return
    this.#sql.exec(
      'INSERT INTO desk (id, view) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET view = excluded.view',
      JSON.stringify(view),
    )
  }

  /** What the claim page shows; null for a payout this desk was never told of. */
  async view(): Promise<DeskView | null> {
    return this.#view()
  }

  /** Right code → a session. Each call counts as a try before the code is looked at. */
  async verify(passcode: string): Promise<Result<{ sessionToken: string; view: DeskView }>> {
    const checked = this.#check(passcode)
    if (!checked.ok) return checked
    const sessionToken = base64(crypto.getRandomValues(new Uint8Array(32)))
    this.#sql.exec('DELETE FROM session WHERE expires_at <= ?', this.clock.now())
    this.#sql.exec(
      'INSERT INTO session (hash, code_version, expires_at) VALUES (?, ?, ?)',
      sha256(sessionToken),
      checked.value.codeVersion,
      this.clock.now() + sessionMs,
    )
    return { ok: true, value: { sessionToken, view: checked.value } }
  }

  /** A new code to the same address, at the recipient's wish; the Treasury keeps the limits. */
  async resend(): Promise<Result<{ recipientMasked: string }>> {
    const view = this.#view()
    if (!view) return gone
    const result = await this.env.TREASURY.getByName(view.userId).resendCode(view.payoutId, 'recipient')
    return result.ok ? { ok: true, value: { recipientMasked: view.recipientMasked } } : result
  }

  /** Session or code, then the Treasury decides. The first accepted address wins. */
  async claim(input: {
    passcode?: string
    sessionToken?: string
    to: Address
  }): Promise<Result<{ status: string; txHash: string | null }>> {
    const view = this.#view()
    if (!view) return gone
    let codeVersion: number
    if (input.sessionToken !== undefined) {
      const session = this.#sql
        .exec<{ code_version: number }>(
          'SELECT code_version FROM session WHERE hash = ? AND expires_at > ?',
          sha256(input.sessionToken),
          this.clock.now(),
        )
        .toArray()[0]
      if (!session)
        return { ok: false, code: 'wrong_passcode', message: 'Please enter your code again.', field: 'passcode' }
      codeVersion = session.code_version
    } else {
      const checked = this.#check(input.passcode ?? '')
      if (!checked.ok) return checked
      codeVersion = checked.value.codeVersion
    }
    return this.env.TREASURY.getByName(view.userId).claim({ payoutId: view.payoutId, codeVersion, to: input.to })
  }

  #check(passcode: string): Result<DeskView> {
    const now = this.clock.now()
    const row = this.#row()
    const view = row && (JSON.parse(row.view) as DeskView)
    if (!row || !view || now >= view.expiresAt || !view.codeHmac) return gone
    const attempts: Attempts =
      row.counted_version === view.triesVersion
        ? { total: row.wrong_total, recent: row.wrong_now, lockedUntil: row.locked_until }
        : { total: 0, recent: 0, lockedUntil: 0 }
    const allowed = attemptAllowed(attempts, now)
    if (!allowed.ok)
      return {
        ok: false,
        code: 'rate_limited',
        message: allowed.message,
        field: 'passcode',
        ...(allowed.retryAfter !== null && { retryAfter: allowed.retryAfter }),
      }
    // Counted as wrong first and taken back when right: nothing between can be repeated for free.
    const counted = recordWrong(attempts, now)
    this.#write(view.triesVersion, counted)
    if (!rightCode(this.env.CODE_PEPPER, view, passcode)) {
      const left = counted.lockedUntil > now || counted.total >= 20 ? 0 : 5 - counted.recent
      return {
        ok: false,
        code: 'wrong_passcode',
        message: left > 0 ? `Invalid passcode. ${left} ${left === 1 ? 'try' : 'tries'} left.` : 'Invalid passcode',
        field: 'passcode',
      }
    }
    this.#write(view.triesVersion, { ...attempts, recent: 0, lockedUntil: 0 })
    return { ok: true, value: view }
  }

  #write(version: number, attempts: Attempts): void {
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

  #view(): DeskView | null {
    const row = this.#row()
    return row ? (JSON.parse(row.view) as DeskView) : null
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function rightCode(pepperHex: string, view: DeskView, passcode: string): boolean {
  const expected = Buffer.from(view.codeHmac ?? '', 'hex')
  const given = createHmac('sha256', Buffer.from(pepperHex, 'hex'))
    .update(`${view.payoutId}|${view.codeVersion}|${passcode}`)
    .digest()
  return expected.length === given.length && timingSafeEqual(expected, given)
}
