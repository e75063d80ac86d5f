import type { KeyringState } from '../../worker/schemas/ops.ts'
import { acting, type Command, reading } from './command.ts'
import { rows } from './text.ts'

export const keyCommands: Record<string, Command> = {
  keys: {
    usage: 'keys',
    help: 'Lists the versions of each secret, and what still needs the older ones. To replace one: npm run ops -- rotate',
    args: [0, 0],
    ...reading,
    run: async (call) => {
      const data = await call<KeyringState[]>('GET', '/keys')
      const lines = data.flatMap(({ name, versions, remaining, removableFrom }) => [
        ...versions.map(({ version, from, state }) => [name, `version ${version}`, state, from ?? '']),
        ...remaining.map((what) => [name, '', 'needed for', what]),
        ...(removableFrom ? [[name, '', 'older ones removable from', removableFrom]] : []),
      ])
      return { data, text: rows(lines) }
    },
  },
  'renew-keys': {
    usage: 'renew-keys',
    help: 'Makes the next fifty accounts re-seal what is under an older key. The cron does the same each minute.',
    args: [0, 0],
    ...acting,
    run: async (call, { reason }) => {
      const data = await call<{ accounts: number }>('POST', '/keys/renew', { reason })
      return { data, text: `${data.accounts} accounts` }
    },
  },
  'reset-passwords': {
    usage: 'reset-passwords',
    help: 'Invalidates passwords hashed under an older pepper: their owners choose new ones by email.',
    args: [0, 0],
    ...acting,
    run: async (call, { reason }) => {
      const data = await call<{ passwords: number }>('POST', '/keys/reset-passwords', { reason })
      return { data, text: `${data.passwords} passwords` }
    },
  },
}
