import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { endRequest, isOwnWithdrawal, keepRequest, keepSession } from '#web/routes/-claim/claimProgress.ts'
import { nextStep, restoredStep, transferFailed } from '#web/routes/-claim/claimSteps.ts'
import { storage } from './browser.ts'

const now = Date.parse('2026-11-20T08:00:00Z')
const link = 'pay_1.mac.secret'
const own = '0x52908400098527886E0F7030069857D2E4169EE7'
const other = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const verified = { passcode: '123456', sessionToken: 'session', balance: '5' }
const restored = { ...verified, passcode: null }

const payout = (status: ClaimPayout['status'], withdrawnToAddress: string | null = null) =>
  ({ id: 'pay_1', status, withdrawnToAddress }) as ClaimPayout
const created = payout('CREATED')
const claiming = payout('CLAIMING')

/** The tab is closed: what it kept for itself is gone. */
const newTab = () => vi.stubGlobal('sessionStorage', storage())

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  vi.stubGlobal('localStorage', storage())
  newTab()
})

describe('a withdrawal whose reply is lost', () => {
  test('is this browser’s own, also in another tab @browsers-4', () => {
    keepRequest('pay_1', own)
    newTab()
    expect(isOwnWithdrawal(payout('WITHDRAWN', own))).toBe(true)
    expect(isOwnWithdrawal(payout('WITHDRAWN', other)), 'somebody else was faster').toBe(false)
  })

  test('stays its own after a refusal and a request to another address', () => {
    keepRequest('pay_1', own)
    endRequest('pay_1')
    keepRequest('pay_1', other)
    expect([own, other].map((address) => isOwnWithdrawal(payout('WITHDRAWN', address)))).toEqual([true, true])
  })

  test('is followed by the payout’s status, without a reply', () => {
    keepRequest('pay_1', own)
    const step = nextStep({ step: 'withdraw', verified }, claiming, now)
    expect(step).toEqual({ step: 'claiming', verified, known: 'seen' })
    expect(nextStep(step, claiming, now), 'the same object, so that nothing is rendered').toBe(step)
    expect(nextStep(step, payout('WITHDRAWN', own), now)).toEqual({ step: 'complete' })
  })
})

describe('after a reload', () => {
  test('a request that the server does not show yet is waited for, then offered again @browsers-5', () => {
    keepSession(link, verified)
    keepRequest('pay_1', own)
    const step = restoredStep(link, created)
    expect(step).toEqual({ step: 'claiming', verified: restored, known: 'requested' })
    expect(nextStep(step, created, now + 14_000)).toBe(step)
    const after = { problem: transferFailed, address: own }
    expect(nextStep(step, created, now + 16_000)).toEqual({ step: 'withdraw', verified: restored, ...after })
    newTab()
    expect(nextStep(restoredStep(link, created), created, now + 16_000)).toEqual({ step: 'verify', ...after })
  })

  test('a request that was refused is over', () => {
    keepSession(link, verified)
    keepRequest('pay_1', own)
    endRequest('pay_1')
    expect(restoredStep(link, created)).toEqual({ step: 'withdraw', verified: restored, address: own })
  })

  test('a claim session lasts 15 minutes, and as long as its tab', () => {
    keepSession(link, verified)
    expect(restoredStep(link, created)).toMatchObject({ step: 'withdraw', verified: restored })
    expect(restoredStep('pay_2.mac.secret', created)).toMatchObject({ step: 'verify' })
    vi.setSystemTime(now + 15 * 60_000)
    expect(restoredStep(link, created)).toMatchObject({ step: 'verify' })
    vi.setSystemTime(now)
    newTab()
    expect(restoredStep(link, created)).toMatchObject({ step: 'verify' })
  })

  test('a broken record counts as none', () => {
    localStorage.setItem('claimed:pay_1', '{')
    sessionStorage.setItem(`claim:${link}`, 'null')
    expect(restoredStep(link, created)).toEqual({ step: 'verify', address: undefined })
  })
})

test('a transfer that was seen and failed is offered again, with the address @browsers-6', () => {
  keepRequest('pay_1', own)
  const seen = { step: 'claiming', verified, known: 'seen' } as const
  const after = { problem: transferFailed, address: own }
  expect(nextStep(seen, created, now)).toEqual({ step: 'withdraw', verified, ...after })
  expect(nextStep({ ...seen, verified: null }, created, now)).toEqual({ step: 'verify', ...after })
  const accepted = { step: 'claiming', verified, known: 'accepted' } as const
  expect(nextStep(accepted, created, now + 1_000), 'the status is a second old').toBe(accepted)
})

test('the link’s secret is not kept beyond the tab', () => {
  keepSession(link, verified)
  keepRequest('pay_1', own)
  expect(localStorage.getItem('claimed:pay_1')).not.toContain('secret')
})
