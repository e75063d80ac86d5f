import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { productionSchema } from '../../launch/config.ts'
import { payOnce } from '../../launch/production/testPayment.ts'
import { openState } from '../../launch/state.ts'
import { addressFor } from '../support/stackClient.ts'
import { bursar, createAgent, url, usdc } from './gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-payment-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the test payment of a launch is made once @launch-14', async () => {
  const to = addressFor('launch')
  const config = productionSchema.parse({
    accountId: '0'.repeat(32),
    origin: url,
    databaseLocation: 'weur',
    chain: { providerAdmin: to, deployer: 'hardware' },
    email: { provider: 'resend', from: 'hello@bursar.example' },
    operators: { accessTeamOrigin: 'https://team.cloudflareaccess.com', accessAudience: 'a'.repeat(64) },
    testPayment: { to, amount: '0.01' },
  })
  const state = openState(folder)
  expect(await payOnce(config, state, {})).toMatchObject({
    changed: false,
    note: expect.stringContaining('waits for you'),
  })
  const { clientId, clientSecret } = await createAgent()
  // The second call is like one after an interruption before the launch recorded the step.
  for (const _ of [1, 2])
    expect(await payOnce(config, state, { TEST_CLIENT_ID: clientId, TEST_CLIENT_SECRET: clientSecret })).toMatchObject({
      changed: true,
      note: expect.stringMatching(/^0\.01 USDC to 0x\w+, 0x\w{64}$/),
    })
  expect(await bursar.usdcOnChain(usdc, to)).toBe(10_000n)
})
