/** Shown when a session has ended. In a separate module, because the sign-in page seldom needs it. */
export const expiredText = 'Your session has expired for security reasons. Please log in again to continue.'
