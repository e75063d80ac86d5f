import { ApiError } from './apiError.ts'

/** Asks for the password until `repeat` succeeds with it, or rejects with what it last threw, or when nobody answers. */
export type AskPassword = <T>(repeat: (password: string) => Promise<T>) => Promise<T>

/** Set while a screen that can ask is shown. */
export const passwordPrompt: { ask: AskPassword | null } = { ask: null }

/** Makes the call; if it needs the password, asks for it and repeats the call with it. */
export async function withPassword<T>(call: (password?: { password: string }) => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { ask } = passwordPrompt
    if (!ask || !(error instanceof ApiError) || error.code !== 'password_required') throw error
    return ask((password) => call({ password }))
  }
}
