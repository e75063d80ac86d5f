/**
 * One form for all spellings of an address that mean the same (RFC 3986 section 6.2): case of scheme and host, default port, dot
 * segments, escaped letters, a slash at the end. Null if it is no absolute address, or has a query, a fragment or a user name.
 */
export function normalUri(text: string): string | null {
  const url = URL.parse(text)
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return null
  const path = url.pathname.replace(/%[\da-f]{2}/gi, (escaped) => {
    const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase()
  })
  return `${url.protocol}//${url.host}${path.replace(/\/$/, '')}`
}
