import { utcDay } from '#domain/gasAllowance.ts'
import type { Limits } from '#domain/limits.ts'
import type { GasPurpose } from './api.ts'

/**
 * Grants gas units to new accounts. Returns false and grants nothing if all of today's (UTC) would exceed what the limits
 * give to this purpose. The last part of a day's gas is kept for first deploys, so that other work can't lock out new people.
 */
export function grantNewAccountGas(
  sql: SqlStorage,
  gas: number,
  purpose: GasPurpose,
  limits: Limits,
  now: number,
): boolean {
  const day = utcDay(now)
  const isExit = purpose === 'exit' ? 1 : 0
  const most = {
    work: limits.newAccountsGasPerDay - limits.newAccountsDeployGasPerDay,
    firstDeploy: limits.newAccountsGasPerDay,
    exit: limits.newAccountsExitGasPerDay,
  }[purpose]
  sql.exec('DELETE FROM new_account_gas WHERE day < ?', day)
  const today = sql.exec<{ granted: number }>(
    'SELECT granted FROM new_account_gas WHERE day = ? AND is_exit = ?',
    day,
    isExit,
  )
  if ((today.toArray()[0]?.granted ?? 0) + gas > most) return false
  sql.exec(
    `INSERT INTO new_account_gas (day, is_exit, granted) VALUES (?1, ?2, ?3)
     ON CONFLICT (day, is_exit) DO UPDATE SET granted = granted + ?3`,
    day,
    isExit,
    gas,
  )
  return true
}
