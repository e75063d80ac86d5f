import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, getAddress, http } from 'viem'
import { expect, test } from 'vitest'
import { circleUsdc, deployContracts, deploymentPlan } from '../../contracts/deployment.ts'
import { startAnvil } from '../../local/stack/anvil.ts'
import { providerAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { deployment, party } from '../support/localChain.ts'

const options = {
  ...deployment,
  deployerKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', // anvil's first account
} as const

test('a chain restarted with its state keeps the contracts, and nothing is deployed twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chain-'))
  const statePath = join(folder, 'state.json')
  try {
    const first = await startAnvil({ chainId: 84532, statePath })
    const contracts = await deployContracts(first.url, options)
    const height = await createPublicClient({ transport: http(first.url) }).getBlockNumber()
    await first.stop()

    const second = await startAnvil({ chainId: 84532, statePath })
    const client = createPublicClient({ transport: http(second.url) })
    try {
      expect(await deployContracts(second.url, options)).toEqual(contracts)
      expect(await client.getBlockNumber()).toBe(height)
      expect(await client.getChainId()).toBe(84532)
    } finally {
      await second.stop()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the deployment sets the expected roles and token', async () => {
  const anvil = await startAnvil({ chainId: 8453 })
  try {
    const client = createPublicClient({ transport: http(anvil.url) })
    const { usdc, provider } = await deployContracts(anvil.url, options)
    const readProvider = { address: provider, abi: providerAbi } as const
    expect(await client.readContract({ ...readProvider, functionName: 'owner' })).toBe(options.providerAdmin)
    expect(await client.readContract({ ...readProvider, functionName: 'isOperator', args: [options.operator] })).toBe(
      true,
    )
    expect(await client.readContract({ address: usdc, abi: usdcAbi, functionName: 'masterMinter' })).toBe(
      options.usdcAdmin,
    )
    const finalized = await client.getBlock({ blockTag: 'finalized' })
    expect((await client.getBlockNumber()) - finalized.number!).toBeLessThanOrEqual(2n)
  } finally {
    await anvil.stop()
  }
})

test('the roles determine every planned address, and Circle’s token replaces the stand-in', () => {
  const plan = deploymentPlan(options)
  expect(deploymentPlan(options)).toEqual(plan)
  expect(deploymentPlan({ ...options, operator: party('another').address }).contracts.factory).not.toBe(
    plan.contracts.factory,
  )

  const production = deploymentPlan({ ...options, usdc: circleUsdc[8453] })
  expect(production.contracts.usdc).toBe(getAddress(circleUsdc[8453]))
  expect(production.steps.map(({ name }) => name)).toEqual(['PayoutEscrow', 'Provider', 'AgentWalletFactory', 'Relay'])
})
