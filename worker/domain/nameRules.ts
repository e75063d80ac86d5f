import type { TextRule } from './readers/text.ts'

/** The rules for names that people give, shared by forms and the API. Those of contacts and wallets are with their other rules. */

export const personName: TextRule = { label: 'Name', max: 100, required: 'Please enter your name' }
export const groupName: TextRule = { label: 'Name', max: 60, required: 'Policy name is required' }
export const agentName: TextRule = { label: 'Name', max: 60, required: 'Name is required' }
export const agentMemo: TextRule = { label: 'Memo', max: 200, lines: true }
