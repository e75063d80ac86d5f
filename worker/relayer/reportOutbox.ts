import type { ColumnsIn } from '../durable/table.ts'
import type { Env } from '../env.ts'
import type { JobRef, JobReport } from './api.ts'
import type { MinedLogs } from './minedLogs.ts'
import type { JobRow } from './tables.ts'

const firstRetryMs = 1_000 // 1 second, doubling
/** The Treasury also requests reports and settles from the chain, so a report may be given up. */
const maxAttempts = 10
const maxReportsAtOnce = 200

/** For `UPDATE job SET …`: marks a change to be reported to the Treasury. Binds one value, the time in ms. */
export const enqueueReport = 'report_version = report_version + 1, report_at = ?, report_attempts = 0'

const reportColumns =
  'id, ref, user_id, lane, target, state, tx_hash, mined_block, reason, reverts, gas_used, report_version'
type ReportRow = Pick<JobRow, ColumnsIn<typeof reportColumns>>

/** Reports that one user's Treasury has not received. `versions` says which change of each job the reports describe. */
export type PendingReports = { userId: string; reports: JobReport[]; versions: { id: string; version: number }[] }

/**
 * Reports that Treasuries have not received yet, kept in the columns `report_…` of the jobs: a report is always made from
 * the newest state, and a change that happens while one is being sent stays pending.
 */
export class ReportOutbox {
  readonly #sql: SqlStorage
  readonly #minedLogs: MinedLogs

  constructor(sql: SqlStorage, minedLogs: MinedLogs) {
    this.#sql = sql
    this.#minedLogs = minedLogs
  }

  /** The current report of a job; null if it is unknown. */
  reportOf(id: string): JobReport | null {
    const row = this.#sql.exec<ReportRow>(`SELECT ${reportColumns} FROM job WHERE id = ?`, id).toArray()[0]
    return row ? toReport(row) : null
  }

  /**
   * Sends the reports that are due. A report is a hint and may be lost: Treasuries settle from the chain. Returns when more
   * are due (ms), null if none are pending.
   */
  async send(treasuries: Env['TREASURY'], now: number): Promise<number | null> {
    await Promise.all(
      this.pendingReports(now).map(async ({ userId, reports, versions }) => {
        try {
          await treasuries.getByName(userId).reportJobs(reports)
          this.markReported(versions)
        } catch {
          this.deferReport(versions, now)
        }
      }),
    )
    return this.nextReportAt()
  }

  /** The reports that are due, one entry per user. */
  pendingReports(now: number): PendingReports[] {
    const rows = this.#sql
      .exec<ReportRow>(
        `SELECT ${reportColumns} FROM job WHERE report_at <= ? ORDER BY report_at LIMIT ?`,
        now,
        maxReportsAtOnce,
      )
      .toArray()
    return [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, list]) => ({
      userId,
      reports: list.map((row) => this.#withLogs(row)),
      versions: list.map((row) => ({ id: row.id, version: row.report_version })),
    }))
  }

  /** The target of what is not a plain call is the wallet that sends. */
  #withLogs(row: ReportRow): JobReport {
    const isMinedSend = row.state === 'mined' && row.lane !== 'call'
    const logs = isMinedSend && row.tx_hash ? this.#minedLogs.of(row.tx_hash, row.target) : null
    return { ...toReport(row), ...(logs && { logs }) }
  }

  /** Jobs that changed since the report was made stay pending. */
  markReported(versions: PendingReports['versions']): void {
    this.#sql.exec(
      `UPDATE job SET report_at = NULL FROM json_each(?) AS reported
       WHERE job.id = reported.value->>'id' AND job.report_version = reported.value->>'version'`,
      JSON.stringify(versions),
    )
  }

  /** Retries reports that the Treasury did not take, and gives them up after ten attempts. */
  deferReport(versions: PendingReports['versions'], now: number): void {
    for (const { id, version } of versions) {
      this.#sql.exec(
        `UPDATE job SET report_attempts = report_attempts + 1,
           report_at = CASE WHEN report_attempts + 1 >= ? THEN NULL ELSE ? + (? << report_attempts) END
         WHERE id = ? AND report_version = ?`,
        maxAttempts,
        now,
        firstRetryMs,
        id,
        version,
      )
    }
  }

  /** When the next report is due (ms); null if none is pending. */
  nextReportAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(report_at) AS at FROM job').one().at
  }
}

function toReport(row: ReportRow): JobReport {
  return {
    id: row.id,
    ...(row.ref !== null && { ref: JSON.parse(row.ref) as JobRef }),
    state: row.state === 'in_flight' ? (row.tx_hash ? 'broadcast' : 'waiting') : row.state,
    ...(row.tx_hash ? { txHash: row.tx_hash } : {}),
    ...(row.state === 'mined' && row.mined_block !== null ? { block: row.mined_block } : {}),
    ...(row.reason ? { reason: row.reason } : {}),
    // Also set if the job was dropped since, because it would revert again.
    ...(row.reverts === 1 && row.state !== 'mined' ? { reverts: true } : {}),
    ...(row.gas_used > 0 ? { gasUsed: row.gas_used } : {}),
  }
}
