/** The rows that every local stack starts with: one user who can sign in, and a passcode to sign up with. */
import { hashPassword } from '../../worker/identity/passwords.ts'
import { passcodeHash } from '../../worker/identity/secrets.ts'
import { type KeyringSettings, keyring } from '../../worker/keyrings/keyring.ts'

export const demo = {
  userId: 'user_demo',
  email: 'demo@bursar.test',
  password: 'make-your-agents-pay',
  name: 'Demo',
  signupPasscode: 'bursar-local',
}

/** Returns SQL that can run repeatedly: existing rows stay, except the demo password, which follows the pepper. */
export async function seedSql(
  secrets: Pick<KeyringSettings, 'PASSWORD_PEPPER' | 'CODE_PEPPER' | 'KEYRINGS'>,
  now = Date.now(),
): Promise<string> {
  const { userId, email, password, name, signupPasscode } = demo
  const hash = await hashPassword(password, keyring(secrets, 'PASSWORD_PEPPER').current(now))
  const pepper = keyring(secrets, 'CODE_PEPPER').current(now)
  const passcode = passcodeHash(pepper.secret, signupPasscode)
  return [
    `INSERT INTO user (id, email, name, status, password_hash, created_at, updated_at)
     VALUES (${[userId, email, name, 'CONFIRMED', hash].map(quoted).join(', ')}, ${now}, ${now})
     ON CONFLICT (id) DO UPDATE SET password_hash = excluded.password_hash, status = 'CONFIRMED', temporary_since = NULL;`,
    `INSERT INTO signup_passcode (hash, label, created_at, pepper_version)
     VALUES (${quoted(passcode)}, 'local', ${now}, ${pepper.version})
     ON CONFLICT (hash) DO NOTHING;`,
  ].join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
