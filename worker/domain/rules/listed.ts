/** For a sentence; a long list is only counted. */
export const anyOf = (names: readonly string[]) =>
  names.length > 5 ? `one of ${names.length} allowed values` : names.join(' or ')
