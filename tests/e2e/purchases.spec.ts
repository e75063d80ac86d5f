/** Purchases as the owner sees them, of a real agent that asks Bursar to buy from a seller on this machine. */
import { randomUUID } from 'node:crypto'
import type { Payment } from '#schemas/payment.ts'
import { until } from '../../local/client.ts'
import { serve } from '../../local/standIns/server.ts'
import { addressFor } from '../support/stackClient.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { audit } from './audit.ts'
import { expect, testAsOwner as test } from './fixtures.ts'
import { type Owner, usdcOf } from './people.ts'

const widths = [320, 820, 1400]

type Challenge = { x402Version: 2; accepts: object[] }

test.use({ tolerated: /status of (400|403|409|422)/, viewport: { width: 320, height: 720 } })

/** A seller of one resource. A host that `confirms` names the address to everybody who asks. */
async function createSeller(usdc: string, confirms: boolean) {
  const payTo = addressFor(`seller ${randomUUID()}`)
  const challenge: Challenge = {
    x402Version: 2,
    accepts: [
      {
        ...{ scheme: 'exact', network: 'eip155:8453', asset: usdc, amount: '280000', payTo, maxTimeoutSeconds: 240 },
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  }
  const header = btoa(JSON.stringify(challenge))
  const { url, stop } = await serve((_, reply) => {
    reply.writeHead(confirms ? 402 : 200, confirms ? { 'payment-required': header } : {}).end()
  })
  const { host } = new URL(url)
  return { host, url: `${url}/weather`, payTo, challenge, [Symbol.dispose]: () => void stop() }
}
type Seller = Awaited<ReturnType<typeof createSeller>>

async function createBuyer(owner: Owner, bursar: { url: string } & Parameters<typeof usdcOf>[0], name: string) {
  const token = await owner.account.accessToken()
  const wallet = await createFundedWallet(bursar, token, { name: `${name} wallet`, funds: '50', purchaseAllowance: 20 })
  const group = await owner.group(name, { walletId: wallet.id, scopes: ['x402_payments:write'] })
  const { agent, apiKey } = await owner.agent(group, `${name} bot`)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const report = (id: string, receipt: object) =>
    fetch(`${bursar.url}/v1/x402-payments/${id}/receipt`, { method: 'POST', headers, body: JSON.stringify(receipt) })
  const buy = async ({ url, challenge }: Seller, key: string = randomUUID()) => {
    const reply = await fetch(`${bursar.url}/v1/x402-payments`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: JSON.stringify({ resource: url, payment_required: challenge }),
    })
    return { status: reply.status, body: (await reply.json()) as Payment & { x402: object | null } }
  }
  return { wallet, group, agent, buy, report }
}

test('a purchase from a seller that is not verified shows what is bought and who is paid, and is handed out later @purchase-screens-1', {
  tag: '@core',
}, async ({ page, owner, bursar }) => {
  const buyer = await createBuyer(owner, bursar, 'Weather')
  using seller = await createSeller(await usdcOf(bursar), false)
  const asked = await buyer.buy(seller, 'weather-1')
  expect(asked).toMatchObject({ status: 202, body: { status: 'PENDING_APPROVAL' } })
  await page.goto(`/dashboard/approvals/${asked.body.approval!.id}`)
  const card = page.getByRole('region', { name: 'Weather bot asks to buy' })
  await expect(card.getByRole('region', { name: 'From' })).toContainText(`GET ${seller.url}`)
  await expect(card.getByRole('region', { name: 'Paid to' }).getByTestId('full-address')).toContainText(seller.payTo)
  await expect(card).toContainText(`${seller.host} has not confirmed this address to Bursar.`)
  await expect(card).toContainText('This is your first purchase from this host at this address.')
  await expect(card).toContainText('Would pass now')
  await expect(page.getByRole('button', { name: 'Approve and always allow…' })).toBeHidden()
  await audit(page, 'approval-purchase', widths)
  await page.getByRole('button', { name: 'Approve once' }).click()
  await expect(page.getByText('Approved by you. Weather bot gets it when it asks again.')).toBeVisible()

  await page.goto(`/dashboard/transactions?detail=${asked.body.id}`)
  const details = page.getByRole('dialog')
  await expect(details).toContainText('It is signed when the agent asks for it again.')
  expect((await buyer.buy(seller, 'weather-1')).body).toMatchObject({ status: 'PROCESSING', x402: {} })
  await expect(details).toContainText(
    /The seller can take it until .+; if it does not, the amount is released after that\./,
  )
  await expect(details).toContainText(`GET ${seller.url}`)
  await expect(details).toContainText('Purchase')
  await expect(details.getByRole('list', { name: 'Progress' })).toContainText('Handed out')
  await buyer.report(asked.body.id, { payment_response: null, served: false })
  await expect(details).toContainText('Not delivered')
  await audit(page, 'transaction-purchase', widths)

  await page.goto('/dashboard/transactions?type=x402')
  const row = page.getByRole('listitem').filter({ hasText: `${seller.host}/weather` })
  await expect(row.or(page.getByRole('row').filter({ hasText: `${seller.host}/weather` })).first()).toContainText(
    'Handed out',
  )
  await expect(page.getByText('Type: Purchase')).toBeVisible()
})

test('pausing an agent says what sellers can still take, and stops that too if the owner wishes @purchase-screens-2', {
  tag: '@core',
}, async ({ page, owner, bursar }) => {
  const buyer = await createBuyer(owner, bursar, 'Market')
  using seller = await createSeller(await usdcOf(bursar), true)
  for (const _ of [1, 2]) expect(await buyer.buy(seller)).toMatchObject({ status: 201, body: { status: 'PROCESSING' } })
  const keyOf = () =>
    owner.api<{ address: string; purchaseAllowance: number }>(
      `/wallets/smart-wallets-v2/${buyer.wallet.id}/session-key`,
    )
  const before = await keyOf()
  await page.goto(`/dashboard/agents?group=${buyer.group.id}&pause=${buyer.agent.id}`)
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(/Sellers can still take \$0\.56 for 2 purchases that were handed out, until /)
  await audit(page, 'agents-pause-handed-out', widths)
  await dialog.getByRole('checkbox', { name: /^Stop those too/ }).check()
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(dialog).toBeHidden()
  const after = await until('another session key', async () => {
    const now = await keyOf()
    return now.address !== before.address && now
  })
  expect(after.purchaseAllowance).toBe(before.purchaseAllowance)
})
