import { randomUUID } from 'node:crypto'
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { urlOf } from '../url.ts'
import { UsageError } from './shell.ts'

/** What `bursar login` received. `freshUntil`: epoch ms by this machine's clock. */
export type Login = { url: string; accessToken: string; freshUntil: number; refreshToken: string }

/** A token is replaced this long before it expires. */
const earlyMs = 60_000 // 1 minute

/** The login in the reply of the token endpoint, null if it has none. */
export function loginOf(url: string, body: Record<string, unknown>, now: number): Login | null {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return null
  return { url, accessToken, refreshToken, freshUntil: now + (Number(seconds) || 0) * 1000 - earlyMs }
}

/**
 * The file that keeps the login between commands: `bursar/login.json` in $XDG_CONFIG_HOME, or in ~/.config. Only the user can
 * read it. It is replaced as a whole, so another command never reads half of it.
 */
export class LoginFile {
  readonly path: string

  constructor({ XDG_CONFIG_HOME: home }: Record<string, string | undefined>) {
    const folder = home && isAbsolute(home) ? home : join(homedir(), '.config')
    this.path = join(folder, 'bursar', 'login.json')
  }

  /** Null if nobody has logged in. Throws UsageError if the file cannot be read. */
  read(): Login | null {
    let text: string
    try {
      text = readFileSync(this.path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new UsageError(`${this.path} cannot be read: ${(error as Error).message}`)
    }
    try {
      const { url, accessToken, freshUntil, refreshToken } = JSON.parse(text) as Login
      if (accessToken && refreshToken && Number.isFinite(freshUntil))
        return { url: urlOf(url), accessToken, freshUntil, refreshToken }
    } catch {
      // Reported below.
    }
    throw new UsageError(`${this.path} is damaged. Delete it, and run bursar login.`)
  }

  /** Throws UsageError if a new login could not be kept. Asked first, because tokens that cannot be kept are lost. */
  requireWritable(): void {
    const folder = dirname(this.path)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      accessSync(folder, constants.W_OK)
    } catch (error) {
      throw new UsageError(`The login cannot be kept in ${folder}: ${(error as Error).message}`)
    }
  }

  write(login: Login): void {
    const draft = `${this.path}.${randomUUID()}`
    writeFileSync(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, this.path)
  }

  delete(): void {
    rmSync(this.path, { force: true })
  }
}
