/** Very many transfers to one wallet, as anyone can make them. */
import { pad, toHex } from 'viem/utils'
import type { Address, Hex } from '../../worker/chain/types.ts'
import type { Rpc } from './stackClient.ts'

/**
 * Called with token, recipient, amount and count, one word each. Calls `transfer(recipient, amount)` of the token `count`
 * times: the call's data is written once, then
 *
 *     loop: CALL(GAS, token, 0, 0, 0x44, 0, 0) POP; count -= 1; if (count) goto loop
 */
const spender: Hex =
  '0x63a9059cbb60e01b6000526020356004526040356024526060355b600060006044600060006000355af1506001900380601a5700'

const gasPerTransfer = 9_000
const address: Address = `0x${'d057'.repeat(10)}`

/** A contract that makes transfers, and has `funds` micro-USDC. Blocks are made large enough for `perBlock` of them. */
export async function createDustSender(
  rpc: Rpc,
  token: Address,
  { perBlock, fund }: { perBlock: number; fund: (address: Address) => Promise<void> },
) {
  await rpc('anvil_setCode', address, spender)
  await fund(address)
  const gas = toHex(100_000 + perBlock * gasPerTransfer)
  await rpc('evm_setBlockGasLimit', toHex(30_000_000 + perBlock * gasPerTransfer))
  await rpc('anvil_setBalance', address, toHex(10n ** 20n))
  await rpc('anvil_impersonateAccount', address)
  /** Sends the transaction for the next block. */
  return async (to: Address, amount: bigint, count = perBlock): Promise<void> => {
    const words = [token, to, toHex(amount), toHex(count)].map((word) =>
      pad(word as Hex)
        .slice(2)
        .toLowerCase(),
    )
    await rpc('eth_sendTransaction', { from: address, to: address, data: `0x${words.join('')}`, gas })
  }
}
