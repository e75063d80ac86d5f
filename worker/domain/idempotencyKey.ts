/**
 * Idempotency keys: 1 to 255 visible ASCII characters without commas, bare or as the quoted string of
 * draft-ietf-httpapi-idempotency-key-header. Returns the bare key, or null if the text is not a valid key.
 */
export function parseIdempotencyKey(text: string): string | null {
  const key = /^"([\x21\x23-\x7e]*)"$/.exec(text)?.[1] ?? text
  return /^[\x21-\x7e]{1,255}$/.test(key) && !key.includes(',') ? key : null
}
