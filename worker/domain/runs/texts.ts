import type { TextRule } from '../readers/text.ts'

export const runTitle: TextRule = { label: 'Title', max: 80, required: 'Title is required' }
export const reasonText: TextRule = { label: 'Reason', max: 280, lines: true, required: 'Reason is required' }
