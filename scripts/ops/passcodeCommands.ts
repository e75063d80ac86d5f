import type { CreatedPasscode, Passcode, PasscodeList } from '../../worker/schemas/ops.ts'
import { acting, type Command, numberOf, optional, reading } from './command.ts'
import { rows } from './text.ts'

export const passcodeCommands: Record<string, Command> = {
  passcodes: {
    usage: 'passcodes',
    help: 'Lists sign-up passcodes.',
    args: [0, 0],
    ...reading,
    run: async (call) => {
      const data = await call<PasscodeList>('GET', '/passcodes')
      return { data, text: rows(data.passcodes.map(passcodeLine)) || `none; sign-up is ${data.signUp}` }
    },
  },
  'create-passcode': {
    usage: 'create-passcode <label> [--uses <n>] [--days <n>]',
    options: ['uses', 'days'],
    help: 'Creates a sign-up passcode and prints it once. Without options it has no limit.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [label], reason, options }) => {
      const body = { label, maxUses: numberOf(options.uses ?? ''), expiresInDays: numberOf(options.days ?? ''), reason }
      const data = await call<CreatedPasscode>('POST', '/passcodes', body)
      return { data, text: data.passcode }
    },
  },
  'limit-passcode': {
    usage: 'limit-passcode <id> [--uses <n>|none] [--days <n>|none]',
    options: ['uses', 'days'],
    help: 'Changes the limits of a passcode. Days count from now.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [id], reason, options }) => {
      const body = { maxUses: optional(options.uses), expiresInDays: optional(options.days), reason }
      const data = await call<Passcode>('PATCH', `/passcodes/${encodeURIComponent(id!)}`, body)
      return { data, text: rows([passcodeLine(data)]) }
    },
  },
  'revoke-passcode': {
    usage: 'revoke-passcode <id>',
    help: 'Revokes a passcode. Accounts created with it remain.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [id], reason }) => {
      const data = await call<Passcode>('POST', `/passcodes/${encodeURIComponent(id!)}/revoke`, { reason })
      return { data, text: rows([passcodeLine(data)]) }
    },
  },
}

const passcodeLine = ({ id, label, state, used, maxUses, expiresAt }: Passcode) => [
  id,
  label,
  state,
  maxUses === null ? `used ${used}` : `used ${used} of ${maxUses}`,
  expiresAt ?? '',
]
