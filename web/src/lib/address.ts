/** '0x1234…abcd' */
export const shortAddress = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

/** The 40 digits in ten groups of four. */
export const addressGroups = (address: string) => address.slice(2).match(/.{4}/g) ?? []
