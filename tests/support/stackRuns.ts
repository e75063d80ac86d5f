/** Payout runs over HTTP, with a Worker that may be killed at any moment. */
import { randomUUID } from 'node:crypto'
import type { Run } from '#schemas/runs.ts'
import type { BursarClient } from '../../local/client.ts'
import { until } from '../../local/client.ts'
import { definite, type Sender } from './stackClient.ts'

export type RunFile = { to: string; amount: string }[]

export function runsOf(bursar: BursarClient, { token, wallet }: Pick<Sender, 'token' | 'wallet'>) {
  /** Repeated until it has a reply. */
  async function call(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Run> {
    const options = async () => ({ token: await token(), method, ...(body && { body }), ...(key && { key }) })
    const reply = await definite<{ data: Run }>(bursar, `/api${path}`, options)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  const get = (id: string) => call('GET', `/runs/${id}`)
  return {
    get,
    make: (title: string, rows: RunFile) => call('POST', '/runs', { title, walletId: wallet.id, rows }, randomUUID()),
    checked: (id: string, withinMs?: number) =>
      until(
        'all rows are checked',
        async () => {
          const run = await get(id)
          return run.hash !== null && run
        },
        withinMs,
      ),
    submit: (id: string) => call('POST', `/runs/${id}/submit`, {}),
    approve: ({ id, hash }: Run) => call('POST', `/runs/${id}/approve`, { hash }),
  }
}

/** I24: what became of the rows adds up to the total. Returns what does not. */
export function wrongSums({ id, total, waiting, released, failed, handedOver }: Run): string[] {
  const parts = [waiting, released, failed, handedOver]
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const micro = (amount: string) => Math.round(Number(amount) * 1e6)
  const amount = parts.reduce((sum, part) => sum + micro(part.amount), 0)
  return rows === total.rows && amount === micro(total.amount)
    ? []
    : [`run ${id}: ${rows} rows and ${amount} of ${total.rows} and ${micro(total.amount)}`]
}
