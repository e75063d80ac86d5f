/** Collects the secrets that a Worker received and issued from this process's requests, and finds them in its log. */

/** Values with which somebody could sign in, pay, claim or be identified, each with its kind. */
export type Secrets = Map<string, string>

const jsonNames: Record<string, string> = {
  accessToken: 'access token',
  access_token: 'access token',
  idToken: 'access token',
  refreshToken: 'refresh token',
  refresh_token: 'refresh token',
  sessionToken: 'session token',
  session: 'session token',
  signupToken: 'session token',
  clientSecret: 'client secret',
  client_secret: 'client secret',
  apiKey: 'API key',
  password: 'password',
  newPassword: 'password',
  masterPassword: 'password',
  privateKey: 'private key',
  signupPasscode: 'signup passcode',
  recipientPhone: 'phone number',
}
const ofJson = new RegExp(String.raw`\\?"(${Object.keys(jsonNames).join('|')})\\?":\s*\\?"([^"\\]{4,})`, 'g')
const ofTexts: [string, RegExp][] = [
  ['email address', /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ['claim link', /\/claim\/([\w-]{16,})/g],
  ['link token', /#token=([\w-]{16,})/g],
  // In an email a code has its own line; in a request it is a field.
  ['code', /(?:\\n|"(?:passcode|code)":\s*")(\d{6})(?:\\n|")/g],
]

/** Records the requests of this process to `origin`, and their replies. `stop` ends that and returns the secrets in them. */
export function watchSecrets(origin: string): { stop(): Promise<Secrets> } {
  const real = globalThis.fetch
  const texts: (string | Promise<string>)[] = []
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!url.startsWith(origin)) return real(input, init)
    texts.push(url, JSON.stringify(Object.fromEntries(new Headers(init?.headers))), String(init?.body ?? ''))
    const response = await real(input, init)
    // A Worker that is killed meanwhile ends the body early.
    texts.push(
      response
        .clone()
        .text()
        .catch(() => ''),
    )
    return response
  }
  return {
    async stop() {
      globalThis.fetch = real
      return secretsIn((await Promise.all(texts)).join('\n'))
    },
  }
}

function secretsIn(text: string): Secrets {
  const secrets: Secrets = new Map()
  for (const [, name, value] of text.matchAll(ofJson)) secrets.set(value!, jsonNames[name!]!)
  for (const [kind, pattern] of ofTexts)
    for (const [all, part] of text.matchAll(pattern)) secrets.set(part ?? all, kind)
  for (const [, token] of text.matchAll(/"authorization":"Bearer ([^"]+)"/g))
    secrets.set(token!, secrets.get(token!) ?? 'access token')
  for (const [, form] of text.matchAll(/client_secret=([^&\s]+)/g))
    secrets.set(decodeURIComponent(form!), 'client secret')
  return secrets
}

/** Returns the kind of each secret that the log contains, with the beginning of its line. */
export function leaks(log: string, secrets: Secrets): string[] {
  const lines = log.split('\n')
  return [...secrets].flatMap(([secret, kind]) => {
    if (!log.includes(secret)) return []
    // Six digits may also be part of a number.
    const code = /^\d{6}$/.test(secret) ? new RegExp(String.raw`(?<![\w.-])${secret}(?![\w.-])`) : null
    const found = lines.filter((line) => (code ? code.test(line) : line.includes(secret)))
    return found.map((line) => `${kind} in: ${line.slice(0, 120)}`)
  })
}

/** Returns the Worker's own lines; workerd and wrangler write others, which production does not have. */
export const linesOf = (log: string): string[] => log.split('\n').filter((line) => line.startsWith('{'))
