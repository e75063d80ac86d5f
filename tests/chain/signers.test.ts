import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { fastSigner } from '../../worker/chain/fastSigner.ts'
import { nobleSign } from '../../worker/chain/sign.ts'
import type { Hex } from '../../worker/chain/types.ts'
import { cases } from '../support/cases.ts'

const folder = join(import.meta.dirname, '../../worker/chain/secp256k1')
const file = readFileSync(join(folder, 'secp256k1.wasm'))
// Workers may not compile WebAssembly, so their types lack this constructor.
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module
const fastSign = fastSigner(new Module(file))

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const random = (text: string) => keccak256(toHex(text))
const order = secp256k1.CURVE.n

describe('the signer of the Worker', () => {
  test('is the published file whose hash its README states', () => {
    const hash = createHash('sha256').update(file).digest('hex')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`SHA-256: \`${hash}\``)
  })

  test('signs random digests with random keys exactly as noble does', () => {
    for (let i = 0; i < cases(250); i++) {
      const [digest, key] = [random(`digest ${i}`), random(`key ${i}`)]
      expect(fastSign(digest, key), `${digest} with ${key}`).toEqual(nobleSign(digest, key))
    }
  })

  test('signs extreme digests and keys as noble does', () => {
    for (const key of [1n, 2n, order / 2n, order - 1n].map(word))
      for (const digest of [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n].map(word))
        expect(fastSign(digest, key), `${digest} with ${key}`).toEqual(nobleSign(digest, key))
  })

  test.each([
    ['zero', word(0n)],
    ['the order', word(order)],
    ['all ones', word(2n ** 256n - 1n)],
    ['too short', '0x11' as Hex],
    ['too long', `0x${'11'.repeat(33)}` as Hex],
  ])('rejects an invalid key (%s) and signs correctly afterwards', (_, key) => {
    const digest = random('digest')
    expect(() => fastSign(digest, key)).toThrow()
    expect(fastSign(digest, word(7n))).toEqual(nobleSign(digest, word(7n)))
  })

  test('rejects a digest of the wrong length', () => {
    expect(() => fastSign('0x1234', word(7n))).toThrow('not 32 bytes')
  })
})
