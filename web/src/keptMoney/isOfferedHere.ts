/** Whether this page may use passkeys of the domain. Browsers refuse those of another one. */
export const isOfferedHere = (passkeyDomain: string | null): passkeyDomain is string =>
  passkeyDomain !== null && (location.hostname === passkeyDomain || location.hostname.endsWith(`.${passkeyDomain}`))
