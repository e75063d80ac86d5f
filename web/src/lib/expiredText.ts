/** Said where a session has ended. A module of its own, since the sign-in page seldom needs it. */
export const expiredText = 'Your session has expired for security reasons. Please log in again to continue.'
