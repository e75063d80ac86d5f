import { utcDay } from '#domain/gasAllowance.ts'

/** Grants gas units to new accounts. Returns false and grants nothing if all of today's (UTC) would exceed `ceiling`. */
export function grantNewAccountGas(sql: SqlStorage, gas: number, ceiling: number, now: number): boolean {
  const day = utcDay(now)
  sql.exec('DELETE FROM new_account_gas WHERE day < ?', day)
  const [today] = sql.exec<{ granted: number }>('SELECT granted FROM new_account_gas WHERE day = ?', day).toArray()
  if ((today?.granted ?? 0) + gas > ceiling) return false
  sql.exec(
    'INSERT INTO new_account_gas (day, granted) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET granted = granted + ?2',
    day,
    gas,
  )
  return true
}
