import { expect, test } from 'vitest'
import { decideActive } from '#domain/policy.ts'
import { nextForOwner } from '#web/routes/dashboard/-agents/rules.ts'

test('the owner reads what to do about a refusal, not whom to ask @agents-19', () => {
  const decision = decideActive({ name: 'Research', paused: false, agentPaused: true, accountPaused: false })
  expect(decision).toMatchObject({ ok: false, refusal: { next: 'Ask the owner to resume it.' } })
  expect(nextForOwner('Ask the owner to resume it.')).toBe('Resume it.')
  expect(nextForOwner('Send less, or ask the owner to top up.')).toBe('Send less, or top up.')
  expect(nextForOwner('Add funds or send less.')).toBe('Add funds or send less.')
})
