import { createTestClient, http } from 'viem'
import { expect, test } from 'vitest'
import { startAnvil } from '../../local/stack/anvil.ts'
import { party } from '../support/localChain.ts'

test('a reorganization of many blocks keeps all contracts, also on a long chain', async () => {
  const anvil = await startAnvil({ chainId: 84532 })
  try {
    const client = createTestClient({ mode: 'anvil', transport: http(anvil.url) })
    const { address } = party('contract')
    await client.setCode({ address, bytecode: '0x6001' })
    await client.mine({ blocks: 1_100 })
    await client.request({ method: 'anvil_reorg', params: [40, []] } as never)
    expect(await client.request({ method: 'eth_getCode', params: [address, 'latest'] } as never)).toBe('0x6001')
  } finally {
    await anvil.stop()
  }
})
