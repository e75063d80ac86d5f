import { useRouterState } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The email that the previous screen had in its field. Kept out of the URL, which browsers store. */
    email?: string | undefined
    /** A code has just been sent to it. */
    codeSent?: boolean
  }
}

/** The email that the previous screen handed on, or ''. */
export const useHandedEmail = () => useRouterState({ select: (state) => state.location.state.email ?? '' })
export const useCodeSent = () => useRouterState({ select: (state) => state.location.state.codeSent === true })
