/** Payout runs over the API, in workerd. */
import { expect } from 'vitest'
import type { Run } from '#schemas/runs.ts'
import type { AccountFixture } from './accountFixture.ts'
import { until } from './payer.ts'

type Row = { to: string; amount: string; memo?: string; reference?: string }
type Account = Pick<AccountFixture, 'asOwner' | 'wallet'>

/** A draft whose rows are all checked. */
export async function checkedRun({ asOwner, wallet }: Account, rows: Row[], more: object = {}): Promise<Run> {
  const made = await asOwner('POST', '/runs', { title: 'Run', walletId: wallet, rows, ...more })
  expect(made.status, made.text).toBe(201)
  return until('the run is checked', async () => {
    const { data } = (await asOwner('GET', `/runs/${made.json.data.id}`)).json
    return data.hash !== null && (data as Run)
  })
}

/** A run that waits for a decision. */
export async function waitingRun(account: Account, rows: Row[]): Promise<{ id: string; hash: string }> {
  const { id } = await checkedRun(account, rows)
  const submitted = await account.asOwner('POST', `/runs/${id}/submit`)
  expect(submitted.status, submitted.text).toBe(200)
  return { id, hash: submitted.json.data.hash }
}
