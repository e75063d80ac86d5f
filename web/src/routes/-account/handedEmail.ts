import { useRouterState } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The email typed on the previous screen. Kept out of the URL, which browsers store. */
    email?: string | undefined
    /** True if a code has just been sent to it. */
    codeSent?: boolean
  }
}

/** The email passed on by the previous screen, or ''. */
export const useHandedEmail = () => useRouterState({ select: (state) => state.location.state.email ?? '' })
export const useCodeSent = () => useRouterState({ select: (state) => state.location.state.codeSent === true })
