/**
 * One agent buys 240 times for 0.28 USDC, with a purchase allowance of 50, as on one busy day: nobody is asked, although the
 * session key has numbers for 30 purchases of that size. Then the same while every second seller never takes its money, which
 * holds a number until it is proven dead.
 *
 *   node tests/long/purchases.ts            both; PURCHASES changes the number
 */
import { randomUUID } from 'node:crypto'
import { booksAtRest } from '../chaos/checker.ts'
import { startShop } from '../support/shop.ts'
import { addressFor, createSender, pause } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const purchases = Number(process.env.PURCHASES ?? 240)
const price = 280_000n
const allowance = 50

type Reply = { code?: string; status?: string; x402: { payload: unknown } | null }

const stack = await createTestStack({ lean: true })
const shop = await startShop({ rpcUrl: stack.rpc[8453], usdc: stack.contracts[8453].usdc })
try {
  await buyAll('all settled', () => true)
  await buyAll('every second never settled', (i) => i % 2 === 0)
} finally {
  await shop.stop()
  await stack.stop()
}

async function buyAll(name: string, settles: (i: number) => boolean): Promise<void> {
  const sender = await createSender(stack, {
    ...{ funds: '200', limit: 150, purchaseAllowance: allowance },
    scopes: ['x402_payments:write'],
  })
  const settle = await shop.facilitator()
  const { apiKey } = sender.agents[0]!
  const startedAt = Date.now()
  const waits: Record<string, number> = {}
  for (let i = 0; i < purchases; i++) {
    const body = JSON.stringify(shop.requestOf(addressFor(`${name} ${i}`), price))
    const key = randomUUID()
    for (;;) {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key }
      const reply = await fetch(`${stack.url}/v1/x402-payments`, { method: 'POST', headers, body })
      const bought = (await reply.json()) as Reply
      if (reply.status === 201) {
        if (settles(i)) await settle(bought.x402!.payload)
        break
      }
      const why = bought.code ?? bought.status ?? String(reply.status)
      if (!['purchases_used_up', 'QUEUED', 'queue_full'].includes(why))
        throw new Error(`${name}: ${JSON.stringify(bought)}`)
      waits[why] = (waits[why] ?? 0) + 1
      await pause(1_000)
    }
  }
  const seconds = (Date.now() - startedAt) / 1000
  const { group, transactions } = await booksAtRest(stack.bursar, sender, 180_000)
  const count = (status: string) => transactions.filter((row) => row.status === status).length
  const settled = Array.from({ length: purchases }, (_, i) => settles(i)).filter(Boolean).length
  console.log(
    `${name}: ${count('CONFIRMED')} confirmed, ${count('FAILED')} failed, ${group.currentSpent} USDC in ${seconds.toFixed(0)} s; waited for ${JSON.stringify(waits)}`,
  )
  if (count('CONFIRMED') !== settled || count('FAILED') !== purchases - settled)
    throw new Error(`${settled} of ${purchases} purchases should be confirmed, and the others failed`)
}
