import { utcDay } from '#domain/gasAllowance.ts'
import type { Limits } from '#domain/limits.ts'
import { insert, type RowOf } from '../durable/table.ts'
import type { GasPurpose } from './api.ts'
import { newAccountGas } from './tables.ts'

type Granting = [sql: SqlStorage, gas: number, purpose: GasPurpose, limits: Limits, now: number]

/**
 * Grants gas units to new accounts. Returns false and grants nothing if all of today's (UTC) would exceed what the limits
 * give to this purpose. The last part of a day's gas is kept for first deploys, so that other work can't lock out new people.
 */
export function grantNewAccountGas(...granting: Granting): boolean {
  const [sql, gas, purpose, , now] = granting
  sql.exec('DELETE FROM new_account_gas WHERE day < ?', utcDay(now))
  if (!hasNewAccountGas(...granting)) return false
  const row = { day: utcDay(now), is_exit: isExit(purpose), granted: gas }
  insert(sql, newAccountGas, row, 'ON CONFLICT DO UPDATE SET granted = granted + excluded.granted')
  return true
}

/** Whether this gas would be granted now. */
export function hasNewAccountGas(...[sql, gas, purpose, limits, now]: Granting): boolean {
  const most = {
    work: limits.newAccountsGasPerDay - limits.newAccountsDeployGasPerDay,
    firstDeploy: limits.newAccountsGasPerDay,
    exit: limits.newAccountsExitGasPerDay,
  }[purpose]
  const today = sql.exec<Pick<RowOf<typeof newAccountGas>, 'granted'>>(
    'SELECT granted FROM new_account_gas WHERE day = ? AND is_exit = ?',
    utcDay(now),
    isExit(purpose),
  )
  return (today.toArray()[0]?.granted ?? 0) + gas <= most
}

const isExit = (purpose: GasPurpose) => (purpose === 'exit' ? 1 : 0)
