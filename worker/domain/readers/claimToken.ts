const length = 52

/**
 * The token of a claim link, without what a sentence, a chat or Markdown has added to the link: 'TOKEN.', '<TOKEN>', 'TOKEN**'.
 * A text that is not a token with such an end is returned as it is.
 */
export function claimTokenIn(text: string): string {
  const [, token, rest = ''] = new RegExp(`^([A-Za-z0-9_-]{${length}})(.*)$`, 's').exec(text) ?? []
  return token !== undefined && !/^[A-Za-z0-9-]/.test(rest) ? token : text
}
