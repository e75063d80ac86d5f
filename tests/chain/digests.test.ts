import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Abi,
  createPublicClient,
  hashTypedData,
  http,
  keccak256,
  numberToHex,
  recoverAddress,
  serializeSignature,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployContracts } from '../../contracts/deployment.ts'
import { type Anvil, startAnvil } from '../../local/stack/anvil.ts'
import { agentWalletFactoryAbi, payoutEscrowAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { payoutAddress, walletAddress } from '../../worker/chain/addresses.ts'
import { usdcDomainSeparator } from '../../worker/chain/authorization.ts'
import * as digests from '../../worker/chain/digests.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { addressOf, signCompact } from '../../worker/chain/sign.ts'
import type { Address, Contracts, Hex } from '../../worker/chain/types.ts'
import { cases } from '../support/cases.ts'
import { oneSet } from '../support/contractSets.ts'
import { deployment, party } from '../support/localChain.ts'
import { ownerDigest } from '../support/ownerSigner.ts'

const deployerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80' // anvil's first account
const perChain = cases(120)
const perContract = 30

const probeArtifact = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../contracts/out/DigestProbe.sol/${name}.json`), 'utf8')) as {
    abi: Abi
    deployedBytecode: { object: Hex }
  }

/** Repeatable pseudo-random values; one in eight is zero or the maximum. */
function source(seed: string) {
  let count = 0
  const word = () => BigInt(keccak256(toHex(`${seed} ${count++}`)))
  const bits = (size: bigint): bigint => {
    const mask = (1n << size) - 1n
    const pick = word() % 16n
    return pick === 0n ? 0n : pick === 1n ? mask : word() & mask
  }
  return {
    bits,
    number: (size: bigint) => Number(bits(size)),
    address: (): Address => numberToHex(bits(160n), { size: 20 }),
    bytes32: (): Hex => numberToHex(bits(256n), { size: 32 }),
  }
}

describe.each([8453, 84532] as const)('chain %i', (chainId) => {
  const random = source(`chain ${chainId}`)
  let anvil: Anvil
  let contracts: Contracts
  let client: ReturnType<typeof createPublicClient>

  beforeAll(async () => {
    anvil = await startAnvil({ chainId })
    client = createPublicClient({ transport: http(anvil.url, { batch: { batchSize: 100 } }) })
    contracts = await deployContracts(anvil.url, { ...deployment, deployerKey })
  })

  afterAll(() => anvil.stop())

  /** Puts a probe's code at a random address, because the domain depends on the address and the chain. */
  async function place(name: string): Promise<{ address: Address; abi: Abi }> {
    const { abi, deployedBytecode } = probeArtifact(name)
    const address = random.address()
    await client.request({ method: 'anvil_setCode', params: [address, deployedBytecode.object] } as never)
    return { address, abi }
  }

  test('wallet digests equal the contract’s', async () => {
    for (let done = 0; done < perChain; done += perContract) {
      const { address, abi } = await place('WalletDigestProbe')
      const inputs = Array.from({ length: perContract }, () => ({
        account: random.address(),
        other: random.address(),
        amount: random.bits(64n),
        nonce: random.bits(64n),
        purchaseAllowance: random.number(16n),
        validUntil: random.number(40n),
        epoch: random.number(32n),
        deadline: random.number(48n),
        units: random.bits(256n),
        ownerNonce: random.bits(256n),
        id: random.bytes32(),
      }))
      const expected = await client.readContract({ address, abi, functionName: 'digests', args: [inputs] })
      const domain = { chainId, contract: address }
      const ours = inputs.map(
        ({ account, other, amount, nonce, purchaseAllowance, validUntil, epoch, deadline, units, ownerNonce, id }) => [
          digests.sendDigest(domain, { to: account, amount, nonce, deadline }),
          digests.rotateDigest(domain, {
            ...{ newKey: account, limit: amount, purchaseAllowance, validUntil, expectedEpoch: epoch, deadline },
          }),
          ...(
            [
              { kind: 'withdraw', token: account, to: other, amount: units },
              { kind: 'setSession', session: { sessionKey: account, limit: amount, purchaseAllowance, validUntil } },
              { kind: 'revokeSession' },
              { kind: 'disableRotation' },
            ] as const
          ).map((action) => ownerDigest(domain, action, { ownerNonce, deadline })),
          reclaimPayoutDigest(domain, { payoutId: id, ownerNonce, deadline }),
        ],
      )
      expect(ours).toEqual(expected)
    }
  })

  test('escrow digests equal the contract’s', async () => {
    for (let done = 0; done < perChain; done += perContract) {
      const { address, abi } = await place('EscrowDigestProbe')
      const inputs = Array.from({ length: perContract }, () => ({
        id: random.bytes32(),
        to: random.address(),
        atLeast: random.bits(64n),
        deadline: random.number(48n),
      }))
      const expected = await client.readContract({ address, abi, functionName: 'digests', args: [inputs] })
      const domain = { chainId, contract: address }
      const ours = inputs.map(({ id, to, atLeast, deadline }) => [
        digests.claimDigest(domain, { payoutId: id, to, atLeast, deadline }),
        digests.reclaimDigest(domain, { payoutId: id, atLeast, deadline }),
      ])
      expect(ours).toEqual(expected)
    }
  })

  test('wallet addresses equal the factory’s', async () => {
    const inputs = Array.from({ length: perChain }, () => ({
      owner: random.address(),
      salt: random.bytes32(),
      sessionKey: random.address(),
      limit: random.bits(64n),
      purchaseAllowance: random.number(16n),
      validUntil: random.number(40n),
    }))
    const expected = await Promise.all(
      inputs.map(({ owner, salt, sessionKey, limit, purchaseAllowance, validUntil }) =>
        client.readContract({
          address: contracts.factory,
          abi: agentWalletFactoryAbi,
          functionName: 'walletAddress',
          args: [owner, salt, sessionKey, limit, purchaseAllowance, validUntil],
        }),
      ),
    )
    expect(inputs.map((input) => walletAddress(contracts, input))).toEqual(expected)
  })

  test('payout ids and addresses equal the escrow’s', async () => {
    const inputs = Array.from({ length: perChain }, () => ({
      payer: random.address(),
      claimKey: random.address(),
      reclaimKey: random.address(),
      amount: random.bits(64n),
      expiry: random.number(48n),
    }))
    const read = (functionName: 'payoutId' | 'payoutAddress') =>
      Promise.all(
        inputs.map((terms) =>
          client.readContract({ address: contracts.escrow, abi: payoutEscrowAbi, functionName, args: [terms] }),
        ),
      )
    expect(inputs.map(digests.payoutId)).toEqual(await read('payoutId'))
    expect(inputs.map((terms) => payoutAddress(contracts, terms))).toEqual(await read('payoutAddress'))
  })

  test('the USDC domain has the name of Circle’s token on this chain', async () => {
    const usdc = { address: contracts.usdc, abi: usdcAbi } as const
    const [name, separator] = await Promise.all([
      client.readContract({ ...usdc, functionName: 'name' }),
      client.readContract({ ...usdc, functionName: 'DOMAIN_SEPARATOR' }),
    ])
    expect(name).toBe(chainId === 84532 ? 'USDC' : 'USD Coin')
    expect(await usdcDomainSeparator(new RpcChain(chainId, oneSet(contracts), [anvil.url]))).toBe(separator)
  })

  test('implementations are at the planned addresses', async () => {
    const [wallet, vault] = await Promise.all([
      client.readContract({ address: contracts.factory, abi: agentWalletFactoryAbi, functionName: 'IMPLEMENTATION' }),
      client.readContract({ address: contracts.escrow, abi: payoutEscrowAbi, functionName: 'VAULT' }),
    ])
    expect([wallet, vault]).toEqual([contracts.walletImplementation, contracts.vaultImplementation])
  })
})

/** Owners may sign this for a contract that calls the wallet; Bursar itself neither asks for it nor submits it. */
const reclaimPayoutDigest = (
  { chainId, contract }: digests.Domain,
  message: { payoutId: Hex; ownerNonce: bigint; deadline: number },
): Hex =>
  hashTypedData({
    domain: { name: 'Bursar AgentWallet', version: '1', chainId, verifyingContract: contract },
    types: {
      ReclaimPayout: [
        { name: 'payoutId', type: 'bytes32' },
        { name: 'ownerNonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
      ],
    },
    primaryType: 'ReclaimPayout',
    message,
  })

test('compact signatures have a low s and recover to the signer’s address', async () => {
  const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
  const parities = new Set<number>()
  for (let i = 0; i < cases(64); i++) {
    const { key, address } = party(`signer ${i}`)
    const hash = keccak256(toHex(i))
    const { r, vs } = signCompact(hash, key)
    const yParity = Number(BigInt(vs) >> 255n)
    const s = BigInt(vs) & ((1n << 255n) - 1n)
    const signature = serializeSignature({ r, s: numberToHex(s, { size: 32 }), yParity })
    parities.add(yParity)
    expect(s).toBeLessThanOrEqual(half)
    expect(await recoverAddress({ hash, signature })).toBe(address)
  }
  expect(parities).toEqual(new Set([0, 1]))
})

test('addressOf returns the address of a private key', () => {
  expect(addressOf(deployerKey)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
})

test('packWords rejects values beyond 256 bits or below zero', () => {
  expect(() => digests.packWords(1n << 256n)).toThrow(RangeError)
  expect(() => digests.packWords(-1n)).toThrow(RangeError)
  expect(digests.keccak(digests.packWords(0))).toBe(keccak256(numberToHex(0, { size: 32 })))
})
