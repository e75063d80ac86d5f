import { orOwner } from '../refusal.ts'
import { whenExceeded } from './inputs.ts'
import { defineRule } from './rule.ts'
import { askedText, waitText } from './texts.ts'
import { isOpenAt, opensAt, weekDays } from './timeZone.ts'

export const hours = defineRule({
  field: 'hours',
  names: { 'group.hours': 'Hours' },
  section: 'limits',
  title: 'Hours and days of the week',
  hint: 'Payments are made only within these hours, on the clock of the time zone.',
  inputs: {
    days: { kind: 'days', label: 'Days' },
    from: { kind: 'time', label: 'From' },
    to: { kind: 'time', label: 'Until', hint: 'Not included. Earlier than From: the hours cross midnight.' },
    zone: { kind: 'zone', label: 'Time zone' },
    whenExceeded,
  },
  off: null,
  proposed: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00', whenExceeded: 'refuse' },
  problem: ({ from, to }) => (from === to ? { input: 'to', message: 'The hours must end at another time' } : null),
  judge(value, { at }) {
    if (isOpenAt(value, at)) return null
    const opens = opensAt(value, at)
    return {
      above: null,
      outcome: value.whenExceeded,
      rule: 'group.hours',
      code: 'policy_refused',
      message: `The policy group pays only ${hoursText(value)}.`,
      next: orOwner(waitText(opens).replace(', wait', 'Wait'), 'change the hours'),
      resetsAt: opens,
    }
  },
  words: (value) => `Pays only ${hoursText(value)}.${askedText(value.whenExceeded)}`,
})

const hoursText = ({ days, from, to, zone }: { days: string[]; from: string; to: string; zone: string }) =>
  `${days.map((day) => weekDays[day as keyof typeof weekDays]).join(', ')} from ${from} to ${to} (${zone})`
