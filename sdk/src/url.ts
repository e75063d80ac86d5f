/** The origin of a Bursar. Throws TypeError if it is not a URL, or if credentials would be sent to it unencrypted. */
export function urlOf(text: string): string {
  const { protocol, hostname, origin } = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal))
    throw new TypeError(`url: ${origin} must use https, or credentials would be sent unencrypted`)
  return origin
}

export const defaultUrl = 'http://localhost:3001'
