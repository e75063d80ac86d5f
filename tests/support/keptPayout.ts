/** A recipient who keeps a payout: the account of a passkey, and what it signs, without the code of the product. */
import { type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import type { SendOnInput } from '../../worker/treasury/payments/payouts/rpcTypes.ts'
import { usdc } from './build.ts'
import { createPayout, mineUntil, payoutIs, payoutOf } from './manualClock.ts'
import { manualChain as chain, fresh, type Payer } from './payer.ts'
import { transferTypes } from './transferTypes.ts'

export const newNonce = (): Hex => keccak256(toHex(crypto.randomUUID()))

export type Transfer = Pick<SendOnInput, 'to' | 'amount' | 'validBefore' | 'nonce'>

/** Signs for USDC on Base (8453) or Base Sepolia (84532), as Circle's own clients would. */
export function recipientOf(name: string, { chainId, contracts }: { chainId: number; contracts: { usdc: Address } }) {
  const account = privateKeyToAccount(keccak256(toHex(name)))
  const sign = ({ to, amount, validBefore, nonce }: Transfer, over: { chainId?: number } = {}): Promise<Hex> =>
    account.signTypedData({
      domain: {
        name: chainId === 84_532 ? 'USDC' : 'USD Coin',
        version: '2',
        chainId: over.chainId ?? chainId,
        verifyingContract: contracts.usdc,
      },
      types: transferTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: account.address,
        to,
        value: amount,
        validAfter: 0n,
        validBefore: BigInt(validBefore),
        nonce,
      },
    })
  return { address: account.address, sign }
}

/** A payout of 5 USDC that was claimed by a recipient who keeps it, on the chain without automatic blocks. */
export async function keptPayout(payer: Payer, name = `recipient ${Math.random()}`) {
  const recipient = recipientOf(name, chain)
  const { id } = await createPayout(payer)
  const { code_version: codeVersion } = await payoutOf(payer, id)
  const claimed = { payoutId: id, codeVersion, to: recipient.address, keptDomain: 'localhost' }
  unwrap(await payer.treasury().claim(claimed))
  await payoutIs(payer, id, 'WITHDRAWN')
  const input = async (over: Partial<SendOnInput> = {}): Promise<SendOnInput> => {
    const validBefore = (await chain.timestamp()) + 30 * 60
    const transfer = { to: fresh('receiver'), amount: usdc('1'), validBefore, nonce: newNonce(), ...over }
    return { payoutId: id, ...transfer, signature: over.signature ?? (await recipient.sign(transfer)) }
  }
  const stateOf = async (nonce: Hex) => {
    const found = await payer.treasury().sentOn(id, nonce)
    return found.ok ? found.value.state : found.message
  }
  /** Mines blocks until the transfer has this state. */
  const becomes = (nonce: Hex, state: string) =>
    mineUntil(payer, `transfer ${state}`, async () => (await stateOf(nonce)) === state)
  const send = (input: SendOnInput) => payer.treasury().sendOn(input)
  return { id, recipient, input, send, stateOf, becomes }
}
