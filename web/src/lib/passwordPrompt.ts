/** Makes a call, and if it needs the password, asks for it and repeats the call with it. */
export type CallWithPassword = <T>(call: (password?: { password: string }) => Promise<T>) => Promise<T>

/** Set while a screen that can ask is shown (routes/-shell/PasswordPrompt.tsx). */
export const passwordPrompt: { run: CallWithPassword | null } = { run: null }
