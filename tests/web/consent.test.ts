import { expect, test } from 'vitest'
import type { CodeDestination, ConnectingApp, ConnectionRequest } from '#schemas/connection.ts'
import { doubtsAbout, placeOf } from '#web/routes/dashboard/-connect/appWords.ts'
import {
  allowedBody,
  consentField,
  consentProblems,
  firstValues,
  mostByNewGroup,
} from '#web/routes/dashboard/-connect/consentForm.ts'

const registered = (name: string): ConnectingApp => ({ name, kind: 'registered', host: null })
const website = (host: string): CodeDestination => ({ type: 'website', host })
const doubts = (name: string, host: string) => doubtsAbout(registered(name), website(host), 'pay.example.com')

test('an app that borrows a known name is doubted, unless its code goes to that maker @consent-4', () => {
  expect(doubts('Claude', 'claude.ai')).toEqual([])
  expect(doubts('ChatGPT', 'chatgpt.com')).toEqual([])
  expect(doubts('Visual Studio Code', 'vscode.dev')).toEqual([])
  expect(doubts('My notes', 'notes.example')).toEqual([])
  expect(doubts('Claude', 'evil.example')).toEqual([
    'It calls itself “Claude”, but evil.example does not belong to Claude.',
  ])
  for (const name of ['C1aude', 'CLAUDE  connector', 'Cl4ude.ai', 'Bursar support', 'Open AI', 'Visual Studio Code'])
    expect(doubts(name, 'evil.example'), name).toHaveLength(1)
})

test('a host that looks like a known one is doubted @consent-5', () => {
  for (const host of ['claude-ai.com', 'claude.ai.evil.example', 'c1aude.ai', 'notclaude.ai'])
    expect(doubts('Notes', host), host).toEqual([`${host} does not belong to Claude.`])
  expect(doubts('Claude', 'xn--clude-8wa.ai')).toContain(
    'Its address has letters from other alphabets, which can look like ordinary ones.',
  )
  for (const [name, host] of [
    ['Claude', 'api.claude.ai'],
    ['Claude', 'claude.ai:8443'],
    ['Notes', 'precursor.io'],
    ['Notes', 'gemini.com'],
  ] as const)
    expect(doubts(name, host)).toEqual([])
})

test('what is shown large is never the app’s own choice @consent-6', () => {
  const app = registered('claude.ai')
  expect(placeOf({ app, destination: website('evil.example') })).toBe('evil.example')
  expect(placeOf({ app, destination: { type: 'loopback' } })).toBe('A program on this computer')
  expect(placeOf({ app, destination: { type: 'private_scheme', scheme: 'cursor' } })).toBe(
    'The program on this computer that opens cursor:// links',
  )
})

const request: ConnectionRequest = {
  id: 'req_1',
  app: registered('Scout'),
  destination: { type: 'loopback' },
  expiresAt: '2026-11-27T00:00:00.000Z',
  scopes: ['address_payments:write'],
  passwordRequired: true,
  existing: null,
  proposed: {
    agentName: 'Scout',
    group: {
      name: 'Scout',
      scopes: ['address_payments:write'],
      periodBudget: { period: 'day', limit: '20' },
      approveAbove: '5',
    },
  },
}

test('the form begins with the proposed budget, or with the agent from before @consent-7', () => {
  const values = { ...firstValues(request, []), walletId: 'wal_1', password: 'analytical-engine' }
  expect(consentProblems(values, true, null)).toEqual({
    name: null,
    walletId: null,
    perDay: null,
    askAbove: null,
    allowance: null,
    password: null,
  })
  expect(allowedBody(values, request)).toEqual({
    agent: {
      type: 'new',
      name: 'Scout',
      policyGroup: {
        type: 'new',
        name: 'Scout',
        walletId: 'wal_1',
        scopes: ['address_payments:write'],
        periodBudget: { period: 'day', limit: '20' },
        approveAbove: '5',
      },
    },
    password: 'analytical-engine',
  })
  const again = { ...request, existing: { agentId: 'agt_1', agentName: 'Scout', policyGroupId: 'grp_1' } }
  expect(allowedBody(firstValues(again, []), again)).toEqual({ agent: { type: 'existing', agentId: 'agt_1' } })
  expect(allowedBody({ ...values, groupId: 'grp_1' }, request).agent).toEqual({
    type: 'new',
    name: 'Scout',
    policyGroup: { type: 'existing', policyGroupId: 'grp_1' },
  })
})

test('a form that is not complete names each field at fault @consent-8', () => {
  const values = { ...firstValues(request, []), name: ' ', perDay: '0', askAbove: '' }
  expect(Object.values(consentProblems(values, true, null)).filter(Boolean)).toHaveLength(5)
  expect(consentProblems({ ...values, agentId: 'agt_1' }, false, null)).toMatchObject({ name: null, perDay: null })
  expect(consentField('agent.policyGroup.periodBudget.limit')).toBe('perDay')
  expect(consentField('agent.policyGroup.approveAbove')).toBe('askAbove')
  expect(consentField('password')).toBe('password')
  expect(mostByNewGroup(values, undefined, 'USDC')).toBeNull()
})
