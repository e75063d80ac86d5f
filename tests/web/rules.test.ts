import { expect, test } from 'vitest'
import { decideActive } from '#domain/policy.ts'
import { both, orOwner } from '#domain/refusal.ts'

test('the owner reads what to do about a refusal, not whom to ask @agents-19', () => {
  const decision = decideActive({ name: 'Research', paused: false, agentPaused: true, accountPaused: false })
  expect(decision).toMatchObject({
    ok: false,
    refusal: { next: { agent: 'Ask the owner to resume it.', owner: 'Resume it.' } },
  })
  expect(orOwner('Send less', 'top up')).toEqual({
    agent: 'Send less, or ask the owner to top up.',
    owner: 'Send less, or top up.',
  })
  expect(both('Add funds or send less.').owner).toBe('Add funds or send less.')
})
