type MaybeAddress = string | null | undefined

/** Compares two addresses regardless of case, which is only their checksum. A missing address equals nothing. */
export const sameAddress = (a: MaybeAddress, b: MaybeAddress): boolean =>
  typeof a === 'string' && a.toLowerCase() === b?.toLowerCase()
