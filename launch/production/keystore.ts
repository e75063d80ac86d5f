/** Encrypted keys as geth and `cast wallet` store them: Web3 Secret Storage, version 3. */
import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3'
import { z } from 'zod'
import type { Hex } from '../../worker/chain/types.ts'
import { LaunchError } from '../steps.ts'

const hex = z
  .string()
  .regex(/^([0-9a-f]{2})+$/i)
  .transform((text) => Buffer.from(text, 'hex'))
const size = z.int().positive()
const keystore = z.object({
  crypto: z.intersection(
    z.object({
      cipher: z.literal('aes-128-ctr'),
      ciphertext: hex,
      cipherparams: z.object({ iv: hex }),
      mac: hex,
    }),
    z.discriminatedUnion('kdf', [
      z.object({
        kdf: z.literal('scrypt'),
        kdfparams: z.object({ dklen: size, n: size, r: size, p: size, salt: hex }),
      }),
      z.object({
        kdf: z.literal('pbkdf2'),
        kdfparams: z.object({ dklen: size, c: size, prf: z.literal('hmac-sha256'), salt: hex }),
      }),
    ]),
  ),
})

/** Returns the private key. Throws LaunchError if the file is not a keystore or the password is wrong. */
export function openKeystore(path: string, password: string): Hex {
  let file: z.output<typeof keystore>
  try {
    file = keystore.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw new LaunchError(`${path} is not a keystore of version 3`)
  }
  const { crypto } = file
  const key = derive(crypto, password)
  const mac = keccak_256(Buffer.concat([key.subarray(16, 32), crypto.ciphertext]))
  if (crypto.mac.length !== mac.length || !timingSafeEqual(mac, crypto.mac))
    throw new LaunchError(`KEYSTORE_PASSWORD does not open ${path}`)
  const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), crypto.cipherparams.iv)
  return `0x${Buffer.concat([decipher.update(crypto.ciphertext), decipher.final()]).toString('hex')}`
}

function derive(crypto: z.output<typeof keystore>['crypto'], password: string): Buffer {
  if (crypto.kdf === 'pbkdf2') {
    const { salt, c, dklen } = crypto.kdfparams
    return pbkdf2Sync(password, salt, c, dklen, 'sha256')
  }
  const { salt, dklen, n: N, r, p } = crypto.kdfparams
  return scryptSync(password, salt, dklen, { N, r, p, maxmem: 2 ** 30 })
}
