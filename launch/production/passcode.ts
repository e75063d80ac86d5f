/** The first passcode, for the first account. Operators create later ones with `npm run ops`. */
import { newTemporaryPassword, passcodeHash } from '../../worker/identity/secrets.ts'
import { type KeyringSettings, keyring } from '../../worker/keyrings/keyring.ts'
import type { State } from '../state.ts'
import type { Outcome } from '../steps.ts'
import type { Cloudflare } from './cloudflare.ts'
import type { Secrets } from './secrets.ts'

/** Writes the passcode to the state before the database gets its hash, so that a resumed launch uses the same one. */
export async function createFirstPasscode(
  cloudflare: Cloudflare,
  state: State,
  databaseId: string,
  secrets: Secrets,
  now: number,
): Promise<Outcome> {
  const note = `in ${state.path('state.json')}, for one account`
  if (state.steps()['first passcode']) return { changed: false, note }
  const passcode = state.get('passcode') ?? newTemporaryPassword()
  state.set('passcode', passcode)
  const pepper = keyring(secrets as KeyringSettings, 'CODE_PEPPER').current(now)
  const hash = passcodeHash(pepper.secret, passcode)
  const id = hash.slice(0, 16)
  const query = (sql: string, params: (string | number)[]) =>
    cloudflare.request('POST', `${cloudflare.account}/d1/database/${databaseId}/query`, { sql, params })
  await query(
    `INSERT INTO operator_action (id, at, actor, action, subject, reason, detail)
     VALUES (?, ?, 'launch', 'passcode.create', ?, 'first passcode', '{"maxUses":1}') ON CONFLICT (id) DO NOTHING`,
    [`act_launch_${id}`, now, id],
  )
  await query(
    `INSERT INTO signup_passcode (hash, label, max_uses, created_at, pepper_version) VALUES (?, 'launch', 1, ?, ?) ON CONFLICT (hash) DO NOTHING`,
    [hash, now, pepper.version],
  )
  return { changed: true, note }
}
