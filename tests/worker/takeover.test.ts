/**
 * An attacker with days of time and many network addresses tries every route that takes a code, a link or a password.
 * Test id: @takeover-4
 *
 *   TAKEOVER_DAYS=30 TAKEOVER_ADDRESSES=100 vitest run --project worker tests/worker/takeover.test.ts    the long form
 */

import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { patient } from '../support/patience.ts'
import {
  auth,
  createApi,
  createUser,
  env,
  login,
  mailedLinkToken,
  makeGuessingCheap,
  newEmail,
  seed,
} from './apiClient.ts'

const days = Number(env.TAKEOVER_DAYS || 1)
const addresses = Number(env.TAKEOVER_ADDRESSES || 17)
const roundsPerDay = 2
const maxGuessesPerYear = 100 // of 10⁶ codes: 10⁻⁴

beforeAll(seed)

const addressOf = (i: number) => `203.0.${113 + Math.floor(i / 250)}.${i % 250}`
const code = () => String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')

/** Counts the guesses that were compared with a secret, by account. */
class Tally {
  readonly #counts = new Map<string, number>()
  readonly #refused: number[] = []
  add(key: string, isEvaluated: boolean, status: number) {
    if (isEvaluated) this.#counts.set(key, this.of(key) + 1)
    else this.#refused.push(status)
  }
  of = (key: string) => this.#counts.get(key) ?? 0
  get max() {
    return Math.max(0, ...this.#counts.values())
  }
  /** The statuses of guesses that were not compared. */
  get refusals() {
    return [...new Set(this.#refused)]
  }
}

test(
  `${days} days from ${addresses} addresses: an attacker guesses no code or password, and the owners get in`,
  async () => {
    const api = createApi()
    const home = '198.51.100.1'
    const ann = await createUser(api)
    expect((await login(api, ann.email, ann.password, home)).status).toBe(200)
    await makeGuessingCheap(ann.email, ann.password)
    const bob = { email: newEmail(), password: 'chosen by Bob' }
    const { signupToken } = (await auth(api, 'signup', { ...bob, name: 'Bob' }, home)).json.data
    const codes = new Tally()
    const passwords = new Tally()
    let { token, refreshToken } = ann // of a stolen login session

    /** Guesses at everything that can be guessed, from one network address. */
    async function attack(from: string) {
      const guess = { code: code(), newPassword: 'chosen by Mallory' }
      for (const [email, call] of [
        [ann.email, 'reset-password'],
        [bob.email, 'reset-password'],
        [ann.email, 'confirm'],
        [bob.email, 'confirm'],
      ] as const) {
        const { status } = await auth(api, call, { email, ...guess }, from)
        codes.add(email, status === 422, status)
      }
      for (const call of ['confirm-link', 'reset-password-link']) {
        const body = { token: `${code()}${'x'.repeat(37)}`, newPassword: guess.newPassword }
        expect((await auth(api, call, body, from)).status).toBe(410)
      }
      const today = `${ann.email} on day ${Math.floor(api.clock.now / dayMs)}`
      for (let i = 0; i < 6; i++) {
        const body = { email: ann.email, password: `guess ${i}` }
        const path = i === 0 ? '/api/login' : '/api/auth/cognito/login'
        const { status } = await api.call('POST', path, { body, from })
        passwords.add(today, status === 401, status)
      }
      const body = { email: ann.email, session: 'x'.repeat(43), newPassword: guess.newPassword }
      expect((await auth(api, 'new-password', body, from)).status).toBe(410)
    }

    for (let round = 0; round < days * roundsPerDay; round++) {
      // Requests the codes to be guessed, and signs up with both email addresses.
      await auth(api, 'forgot-password', { email: ann.email }, addressOf(round))
      await auth(api, 'resend-code', { email: bob.email }, addressOf(round))
      if (round === 0)
        for (const email of [ann.email, bob.email])
          await auth(api, 'signup', { email, password: 'chosen by Mallory', name: 'Mallory' }, addressOf(1))
      await env.DB.prepare(
        "UPDATE signup SET password_hash = (SELECT password_hash FROM user WHERE id = ?) WHERE name = 'Mallory'",
      )
        .bind(ann.id)
        .run()
      for (let i = 0; i < addresses; i++) await attack(addressOf(i))
      const next = (await auth(api, 'refresh', { refreshToken })).json.data
      token = next.accessToken
      refreshToken = next.refreshToken
      for (let i = 0; i < 12; i++) {
        const change = { currentPassword: `guess ${i}`, newPassword: 'chosen by Mallory' }
        const { status } = await api.call('PATCH', `/api/users/${ann.id}/change-password`, { token, body: change })
        passwords.add(`${ann.email} on day ${Math.floor(api.clock.now / dayMs)}`, status === 400, status)
      }
      api.clock.now += dayMs / roundsPerDay
    }

    for (const { email } of [ann, bob]) {
      expect(codes.of(email), email).toBeGreaterThan(0)
      const perYear = Math.max(codes.of(email) * (365 / 31), days > 31 ? (codes.of(email) * 365) / days : 0)
      expect(perYear, `codes of ${email}`).toBeLessThan(maxGuessesPerYear)
    }
    expect(passwords.max).toBeGreaterThan(50)
    expect(passwords.max, 'passwords of one account and day').toBeLessThanOrEqual(100)
    expect([...codes.refusals, ...passwords.refusals].every((status) => status === 429)).toBe(true)

    // Both owners get in by a mailed link, however many guesses others have made today.
    await auth(api, 'forgot-password', { email: ann.email }, home)
    const reset = { token: await mailedLinkToken(ann.email), newPassword: 'chosen by Ann' }
    expect((await auth(api, 'reset-password-link', reset, home)).status).toBe(200)
    expect((await login(api, ann.email, 'chosen by Ann', home)).status).toBe(200)
    await auth(api, 'resend-code', { email: bob.email }, home)
    const link = { token: await mailedLinkToken(bob.email), signupToken }
    expect((await auth(api, 'confirm-link', link, home)).json.data).toEqual({ passwordKept: true, resetToken: null })
    expect((await login(api, bob.email, bob.password, home)).status).toBe(200)
    console.log(`codes of one account: ${codes.max}; passwords of one account and day: ${passwords.max}`)
  },
  patient(3_600_000),
)
