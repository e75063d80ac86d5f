import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { serializeErc6492Signature } from 'viem/utils'
import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { type Api, createApi, createApiAndUser, createUser, env, seed } from './apiClient.ts'

beforeAll(seed)

type Who = { id: string; token: string; email: string }
const nonce = async (api: Api, { id, token }: Who): Promise<string> => {
  const answer = await api.call('POST', `/api/users/${id}/public-address/nonce`, { token })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data.message
}
const link = (api: Api, { id, token }: Who, body: unknown) =>
  api.call('PATCH', `/api/users/${id}/public-address`, { token, body })
const wallet = privateKeyToAccount(generatePrivateKey())
const linked = async (api: Api, { id, token }: Who) =>
  (await api.call('GET', `/api/users/${id}`, { token })).json.data.publicAddress

test('a public address is linked by a signature of its key, once per message, and stored with its checksum @wallet-link-13', async () => {
  const { api, user: ann } = await createApiAndUser()
  const message = await nonce(api, ann)
  for (const part of [ann.email, ann.id, env.APP_ORIGIN, 'Expires: 2026-11-20T12:10:00.000Z', 'moves no money'])
    expect(message).toContain(part)
  const signature = await wallet.signMessage({ message })
  const body = { publicAddress: wallet.address.toLowerCase(), signature }
  const answer = await link(api, ann, body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.json.data.publicAddress).toBe(wallet.address)
  expect(await linked(api, ann)).toBe(wallet.address)
  expect(await link(api, ann, body)).toMatchObject({ status: 410, json: { code: 'gone', field: 'signature' } })
})

test('null unlinks the public address @wallet-link-14', async () => {
  const { api, user: ann } = await createApiAndUser()
  const message = await nonce(api, ann)
  await link(api, ann, { publicAddress: wallet.address, signature: await wallet.signMessage({ message }) })
  expect((await link(api, ann, { publicAddress: null })).json.data.publicAddress).toBeNull()
  expect(await linked(api, ann)).toBeNull()
})

test('parallel uses of one signature link the address once @wallet-link-15', async () => {
  const { api, user: ann } = await createApiAndUser()
  const signature = await wallet.signMessage({ message: await nonce(api, ann) })
  const body = { publicAddress: wallet.address, signature }
  const answers = await Promise.all([link(api, ann, body), link(api, ann, body), link(api, ann, body)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410])
})

test('a linking message is bound to one user, expires after ten minutes and is void once there is a newer one', async () => {
  const api = createApi()
  const [ann, bob] = [await createUser(api), await createUser(api)]
  const sign = (message: string) => wallet.signMessage({ message })
  const bobs = await sign(await nonce(api, bob))
  await nonce(api, ann)
  expect((await link(api, ann, { publicAddress: wallet.address, signature: bobs })).status).toBe(422)

  const old = await sign(await nonce(api, ann))
  const newer = await sign(await nonce(api, ann))
  expect((await link(api, ann, { publicAddress: wallet.address, signature: old })).status).toBe(422)
  // The failed attempt also used up the newer message.
  expect((await link(api, ann, { publicAddress: wallet.address, signature: newer })).status).toBe(410)

  const late = await sign(await nonce(api, ann))
  api.clock.now += 10 * minuteMs
  expect((await link(api, ann, { publicAddress: wallet.address, signature: late })).status).toBe(410)
  expect(await linked(api, ann)).toBeNull()
})

test('linking with another key, a changed signature, a contract wallet or invalid input is refused with its field @wallet-link-16', async () => {
  const { api, user: ann } = await createApiAndUser()
  const stranger = privateKeyToAccount(generatePrivateKey())
  const attempts: Record<string, (message: string) => Promise<unknown>> = {
    'signature of another key': async (message) => ({ signature: await stranger.signMessage({ message }) }),
    'of another text': async (message) => ({ signature: await wallet.signMessage({ message: `${message} ` }) }),
    'one digit changed': async (message) => {
      const signature = await wallet.signMessage({ message })
      return { signature: `${signature.slice(0, 20)}${signature[20] === '1' ? '2' : '1'}${signature.slice(21)}` }
    },
    'impossible v': async (message) => ({ signature: `${(await wallet.signMessage({ message })).slice(0, -2)}ff` }),
    'all zeros': async () => ({ signature: `0x${'00'.repeat(65)}` }),
    truncated: async (message) => ({ signature: (await wallet.signMessage({ message })).slice(0, -2) }),
    'of a contract not yet deployed (ERC-6492)': async (message) => ({
      signature: serializeErc6492Signature({
        address: stranger.address,
        data: '0x1234',
        signature: await wallet.signMessage({ message }),
      }),
    }),
  }
  for (const [kind, make] of Object.entries(attempts)) {
    const body = await make(await nonce(api, ann))
    const answer = await link(api, ann, { publicAddress: wallet.address, ...(body as object) })
    expect(answer, kind).toMatchObject({ status: 422, json: { code: 'unprocessable', field: 'signature' } })
    expect(answer.json.error, kind).toContain('Smart contract wallets cannot be linked.')
  }
  for (const [body, field] of [
    [{}, 'publicAddress'],
    [{ publicAddress: 'vitalik.eth', signature: '0x00' }, 'publicAddress'],
    [{ publicAddress: wallet.address }, 'signature'],
    [{ publicAddress: wallet.address, signature: 'x'.repeat(10_240) }, 'signature'],
    [{ publicAddress: wallet.address, signature: 5 }, 'signature'],
    [{ publicAddress: wallet.address, signature: '' }, 'signature'],
  ] as const)
    expect(await link(api, ann, body), JSON.stringify(body).slice(0, 80)).toMatchObject({
      status: 400,
      json: { field },
    })
  expect(await linked(api, ann)).toBeNull()
})
