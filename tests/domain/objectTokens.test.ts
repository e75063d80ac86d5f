import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newObjectToken, objectOfToken } from '../../worker/identity/objectTokens.ts'

const payout = 'pay_0mr2k8q1z00112233445566778899'
const env = { ID_SECRET_V1: '66'.repeat(32) }
const now = Date.UTC(2026, 10, 20)
const added = [{ version: 2, secret: '67'.repeat(32), from: now, check: '' }]
const both = { ...env, KEYRINGS: JSON.stringify({ ID_SECRET: added }) }
const withoutFirst = { ...both, ID_SECRET_V1: 'removed' }

const newLink = (settings = env) => newObjectToken(settings, 'claim_link', payout, randomBytes, now)

test('a claim token has 52 characters and names its payout @claim-21', () => {
  const token = newLink()
  expect(token).toMatch(/^[\w-]{52}$/)
  expect(objectOfToken(env, 'claim_link', token)).toBe(payout)
  expect(newLink()).not.toBe(token)
})

test('an API key names an agent and its user, whatever the id of the user; the client id is always the same @claim-22', () => {
  const agent = `agt_${'0123456789abcdef'.repeat(2)}`
  for (const userId of [
    'user_0123456789abcdef0123456789abcdef',
    'user_demo',
    'user_0123456789ABCDEF0123456789abcdef',
    'é',
  ]) {
    const name = `${agent}/${userId}`
    const [key, client] = (['api_key', 'client_id'] as const).map((kind) =>
      newObjectToken(env, kind, name, randomBytes, now),
    )
    expect(key).toMatch(/^bk_[\w-]{70,130}$/)
    expect(client).toMatch(/^bc_[\w-]{30,100}$/)
    expect(objectOfToken(env, 'api_key', key!)).toBe(name)
    expect(objectOfToken(env, 'client_id', client!)).toBe(name)
    expect(objectOfToken(env, 'client_id', `bc_${key!.slice(3)}`)).toBeNull()
    expect(newObjectToken(env, 'client_id', name, randomBytes, now)).toBe(client)
  }
  expect(() => newObjectToken(env, 'api_key', 'agt_1/user_1', randomBytes, now)).toThrow(RangeError)
})

test('a device’s code names its request', () => {
  const request = `request_${'0123456789abcdef'.repeat(2)}`
  const token = newObjectToken(env, 'device_code', request, randomBytes, now)
  expect(objectOfToken(env, 'device_code', token)).toBe(request)
  expect(objectOfToken(env, 'refresh_token', token.replace('bd_', 'br_'))).toBeNull()
  expect(() => newObjectToken(env, 'device_code', 'request_1', randomBytes, now)).toThrow(RangeError)
})

test('a token that was changed anywhere, or belongs to another kind or secret, names nothing @claim-23', () => {
  const token = newLink()
  const bytes = Buffer.from(token, 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i]! ^= 1
    expect(objectOfToken(env, 'claim_link', changed.toString('base64url')), `byte ${i}`).toBeNull()
  }
  const others = ['', 'x', '0'.repeat(52), token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, ` ${token}`]
  for (const other of others) expect(objectOfToken(env, 'claim_link', other), other).toBeNull()
  expect(objectOfToken(env, 'api_key', `bk_${token}`)).toBeNull()
  expect(objectOfToken({ ID_SECRET_V1: '68'.repeat(32) }, 'claim_link', token)).toBeNull()
  expect(() => newObjectToken(env, 'claim_link', 'pay_1', randomBytes, now)).toThrow(RangeError)
})

test('tokens outlive a rotation of their secret until its version is removed @claim-24', () => {
  const [before, after] = [newLink(), newLink(both)]
  expect(Buffer.from(after, 'base64url')[0]).toBe(2)
  for (const token of [before, after]) expect(objectOfToken(both, 'claim_link', token)).toBe(payout)
  expect(objectOfToken(withoutFirst, 'claim_link', before)).toBeNull()
  expect(objectOfToken(withoutFirst, 'claim_link', after)).toBe(payout)
})
