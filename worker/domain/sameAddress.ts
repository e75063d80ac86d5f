type MaybeAddress = string | null | undefined

/** Compares two addresses, ignoring case, which only encodes the checksum. A missing address never matches. */
export const sameAddress = (a: MaybeAddress, b: MaybeAddress): boolean =>
  typeof a === 'string' && a.toLowerCase() === b?.toLowerCase()
